"""Blocks as nano-vllm keeps them: a deque of free ids, a set of used ones, a count per block."""

from collections import deque


class BlockDeque:
    """Blocks 0 .. count - 1, first in first out."""

    def __init__(self, count: int) -> None:
        self.ref_count = [0] * count
        self.free_ids = deque(range(count))
        self.used_ids: set[int] = set()

    def alloc(self, count: int) -> list[int] | None:
        """The first free blocks, each used once, or None."""
        if count > len(self.free_ids):
            return None
        return [self._take() for _ in range(count)]

    def free(self, ids: list[int]) -> None:
        """One user less; blocks without users go to the end."""
        for block_id in reversed(ids):
            self.ref_count[block_id] -= 1
            if self.ref_count[block_id] == 0:
                self.used_ids.remove(block_id)
                self.free_ids.append(block_id)

    def _take(self) -> int:
        block_id = self.free_ids.popleft()
        self.ref_count[block_id] = 1
        self.used_ids.add(block_id)
        return block_id
