"""A free list of integer ids in SGLang's order, with every call in O(ids taken or given back).

    head                      tail
     v                         v
   [ 4  5  9  2  ...  7  1 ]        take(2) -> 4 5      append(8) -> ... 7 1 8     (FIFO)
                                    prepend(8) -> 8 4 5 ...                        (LIFO)

A preallocated ring, so nothing is copied that was not asked for. Upstream keeps one tensor and
rebuilds it on every free. The list believes its caller: an id given back twice is there twice.
"""

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class FreeList:
    """Ids free to hand out, int64 on the CPU. `len` counts staged ids too.

    Mirrors: sglang 0.5.23 mem_cache/allocator/base.py (free_pages, release_pages), both orders.

    Attributes:
        listed: ids that a take gets without merging the staged ones.
    """

    def __init__(self, first_id: int, count: int, *, staged: bool = False) -> None:
        """Ids first_id .. first_id + count - 1, in order.

        Args:
            first_id: lowest id.
            count: how many ids.
            staged: ids given back wait, and are merged and sorted only when a take runs short.
        """
        self._first_id, self._initial, self._staged_mode = first_id, count, staged
        self.reset()

    def __len__(self) -> int:
        return self.listed + self._staged_count

    def reset(self) -> None:
        """All ids free again, in their first order."""
        self._ring = np.arange(self._first_id, self._first_id + self._initial, dtype=np.int64)
        self._head, self.listed = 0, self._initial
        self._staged: list[Ids] = []
        self._staged_count = 0

    def take(self, count: int, enough: int = 0) -> Ids | None:
        """The next `count` ids, shape (count,), a copy; None when fewer are free.

        Args:
            count: ids wanted; not negative.
            enough: merge what is staged when fewer than this are listed, as upstream does whose
                upper bound for a batch is above what the batch needs.
        """
        if self._staged_count and max(count, enough) > self.listed:
            self._merge_and_sort()
        if count > self.listed:
            return None
        taken = self._read(self._head, count)
        self._head = self._wrap(self._head + count)
        self.listed -= count
        return taken

    def append(self, ids: Ids) -> None:
        """Give ids back at the tail, or stage them."""
        if self._staged_mode:
            self._stage(ids)
            return
        self._reserve(len(ids))
        self._write(self._wrap(self._head + self.listed), ids)
        self.listed += len(ids)

    def prepend(self, ids: Ids) -> None:
        """Give ids back at the head in this order, or stage them."""
        if self._staged_mode:
            self._stage(ids)
            return
        self._reserve(len(ids))
        self._head = self._wrap(self._head - len(ids))
        self._write(self._head, ids)
        self.listed += len(ids)

    def to_array(self) -> Ids:
        """All free ids in the order of taking, staged ones last; a copy."""
        return np.concatenate([self._read(self._head, self.listed), *self._staged])

    def _stage(self, ids: Ids) -> None:
        self._staged.append(ids.astype(np.int64, copy=True))
        self._staged_count += len(ids)

    def _merge_and_sort(self) -> None:
        merged = np.sort(self.to_array(), kind="stable")
        self._staged, self._staged_count = [], 0
        self._reserve(len(merged) - self.listed)
        self._head, self.listed = 0, len(merged)
        self._write(0, merged)

    def _wrap(self, at: int) -> int:
        return at % max(len(self._ring), 1)

    def _read(self, start: int, count: int) -> Ids:
        end, size = start + count, len(self._ring)
        if end <= size:
            return self._ring[start:end].copy()
        return np.concatenate((self._ring[start:], self._ring[: end - size]))

    def _write(self, start: int, ids: Ids) -> None:
        end, size = start + len(ids), len(self._ring)
        if end <= size:
            self._ring[start:end] = ids
        else:
            self._ring[start:] = ids[: size - start]
            self._ring[: end - size] = ids[size - start :]

    def _reserve(self, extra: int) -> None:
        # Only a double free that upstream accepts makes the list longer than the pool.
        needed = self.listed + extra
        if needed <= len(self._ring):
            return
        grown = np.empty(max(needed, 2 * len(self._ring)), dtype=np.int64)
        grown[: self.listed] = self._read(self._head, self.listed)
        self._ring, self._head = grown, 0
