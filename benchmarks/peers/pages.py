"""Pages as upstream keeps them: one tensor of free pages, a unique and a concatenation per free."""

import torch


class Pages:
    """Pages 1 .. size // page_size, last in first out by group, or set aside and sorted."""

    def __init__(self, size: int, page_size: int, *, staged: bool = False) -> None:
        self.page_size, self.staged = page_size, staged
        self.released: list[torch.Tensor] = []
        self.free_pages = torch.arange(1, size // page_size + 1, dtype=torch.int64)
        self.offsets = torch.arange(page_size)

    def alloc(self, tokens: int) -> torch.Tensor | None:
        """Token ids of whole pages, or None."""
        count = tokens // self.page_size
        if count > len(self.free_pages) and self.released:
            self.free_pages, _ = torch.sort(torch.cat((self.free_pages, *self.released)))
            self.released = []
        if count > len(self.free_pages):
            return None
        pages = self.free_pages[:count]
        self.free_pages = self.free_pages[count:]
        return (pages[:, None] * self.page_size + self.offsets).reshape(-1)

    def free(self, ids: torch.Tensor) -> None:
        """Give the pages of these ids back, in O(free pages)."""
        pages = torch.unique(ids // self.page_size)
        if self.staged:
            self.released.append(pages)
        else:
            self.free_pages = torch.cat((pages, self.free_pages))
