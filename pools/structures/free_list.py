"""A free list of integer ids in SGLang's order, with every call in O(ids taken or given back).

    head                      tail
     v                         v
   [ 4  5  9  2  ...  7  1 ]        take(2) -> 4 5      append(8) -> ... 7 1 8     (FIFO)
                                    prepend(8) -> 8 4 5 ...                        (LIFO)

A preallocated ring, so nothing is copied that was not asked for. Upstream keeps one tensor and
rebuilds it on every free.
"""

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class FreeList:
    """Ids free to hand out, int64 on the CPU. `len` counts staged ids too.

    Mirrors: sglang 0.5.23 mem_cache/allocator/base.py (free_pages, release_pages), both orders.
    """

    def __init__(self, first_id: int, count: int, *, staged: bool = False) -> None:
        """Ids first_id .. first_id + count - 1, in order.

        Args:
            first_id: lowest id.
            count: how many ids.
            staged: given-back ids wait, and are merged and sorted only when a take runs short.
        """
        self._ring = np.arange(first_id, first_id + count, dtype=np.int64)
        self._first_id, self._initial = first_id, count
        self._head, self._count = 0, count
        self._staged_mode = staged
        self._staged: list[Ids] = []
        self._staged_count = 0

    def __len__(self) -> int:
        return self._count + self._staged_count

    def reset(self) -> None:
        """All ids free again, in their first order."""
        self._ring = np.arange(self._first_id, self._first_id + self._initial, dtype=np.int64)
        self._head, self._count = 0, self._initial
        self._staged, self._staged_count = [], 0

    def take(self, count: int) -> Ids | None:
        """The next `count` ids, shape (count,); None when fewer are free, nothing changed."""
        if count > len(self):
            return None
        if count > self._count:
            self._merge_and_sort()
        taken = self._read(self._head, count)
        self._head = (self._head + count) % max(len(self._ring), 1)
        self._count -= count
        return taken

    def append(self, ids: Ids) -> None:
        """Give ids back at the tail, or stage them."""
        if self._staged_mode:
            self._stage(ids)
            return
        self._reserve(len(ids))
        self._write((self._head + self._count) % max(len(self._ring), 1), ids)
        self._count += len(ids)

    def prepend(self, ids: Ids) -> None:
        """Give ids back at the head in this order, or stage them."""
        if self._staged_mode:
            self._stage(ids)
            return
        self._reserve(len(ids))
        self._head = (self._head - len(ids)) % max(len(self._ring), 1)
        self._write(self._head, ids)
        self._count += len(ids)

    def to_array(self) -> Ids:
        """All free ids in the order of taking, staged ones last; a copy."""
        return np.concatenate([self._read(self._head, self._count), *self._staged])

    def _stage(self, ids: Ids) -> None:
        self._staged.append(ids.astype(np.int64, copy=True))
        self._staged_count += len(ids)

    def _merge_and_sort(self) -> None:
        merged = np.sort(self.to_array(), kind="stable")
        self._staged, self._staged_count = [], 0
        self._count = 0
        self._reserve(len(merged))
        self._head = 0
        self._write(0, merged)
        self._count = len(merged)

    def _read(self, start: int, count: int) -> Ids:
        end = start + count
        size = len(self._ring)
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
        needed = self._count + extra
        if needed <= len(self._ring):
            return
        grown = np.empty(max(needed, 2 * len(self._ring)), dtype=np.int64)
        grown[: self._count] = self._read(self._head, self._count)
        self._ring, self._head = grown, 0
