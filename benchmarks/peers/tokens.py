"""Token ids as upstream keeps them: one tensor of free ids, concatenated anew at every free."""

import torch


class Tokens:
    """Ids 1 .. size, first in first out; `staged` frees are set aside, and sorted when short."""

    def __init__(self, size: int, *, staged: bool = False) -> None:
        self.free_ids = torch.arange(1, size + 1, dtype=torch.int64)
        self.released = torch.empty(0, dtype=torch.int64)
        self.staged = staged

    def alloc(self, count: int) -> torch.Tensor | None:
        """A view of `count` ids, or None."""
        if self.staged and count > len(self.free_ids):
            self.merge_and_sort()
        if count > len(self.free_ids):
            return None
        ids = self.free_ids[:count]
        self.free_ids = self.free_ids[count:]
        return ids

    def free(self, ids: torch.Tensor) -> None:
        """Give ids back, in O(free ids)."""
        if self.staged:
            self.released = torch.cat((self.released, ids))
        else:
            self.free_ids = torch.cat((self.free_ids, ids))

    def merge_and_sort(self) -> None:
        """Make what was set aside available, lowest id first."""
        self.free_ids, _ = torch.sort(torch.cat((self.free_ids, self.released)))
        self.released = self.released[:0]
