"""Free ids taken in ascending order, where ids given back wait until a take runs short.

The same order as a `FreeList` in staged mode, without the sort: one byte per id says *when* it was
given back, and merging is moving on to the next round.

    round 3      code   0 = not free    1, 2 = listed    3 = staged, listed from round 4 on

The lowest listed ids lie ready in an array; it is refilled by reading the codes forward, so each
cell is read once per round. Ids must be distinct and not free: strict checks see to that, so this
is for strict pools only.
"""

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

_FIRST_ROUND = 2
_LAST_ROUND = 255
_WINDOW_MIN, _WINDOW_MAX = 4_096, 65_536


class SortedFreeSet:
    """Ids first_id .. first_id + count - 1, int64 on the CPU. `len` counts staged ids too.

    Mirrors: sglang 0.5.23 mem_cache/allocator/base.py (merge_and_sort_free)
    Diverges: a merge is O(1), where upstream sorts all that is free.

    Attributes:
        listed: ids that a take gets without merging the staged ones.
    """

    def __init__(self, first_id: int, count: int) -> None:
        self._first_id, self._size = first_id, count
        self._code = np.empty(count, np.uint8)
        self.reset()

    def __len__(self) -> int:
        return self.listed + self._staged_count

    def reset(self) -> None:
        """All ids free again."""
        self._code.fill(1)
        self._round = _FIRST_ROUND
        self._staged_count, self._staged_min = 0, self._size
        self.listed = self._size
        #: codes are read up to here; listed cells below it lie in `_ready` from `_at` on
        self._cursor = self._at = 0
        self._ready: Ids = np.empty(0, np.int64)

    def take(self, count: int, enough: int = 0) -> Ids | None:
        """The lowest `count` listed ids, shape (count,); None when fewer are free.

        Args:
            count: ids wanted; not negative.
            enough: merge what is staged when fewer than this are listed.
        """
        if self._staged_count and max(count, enough) > self.listed:
            self._merge()
        if count > self.listed:
            return None
        if count > len(self._ready) - self._at:
            self._refill(count)
        cells = self._ready[self._at : self._at + count]
        self._at += count
        self.listed -= count
        self._code[cells] = 0
        return cells + self._first_id

    def append(self, ids: Ids) -> None:
        """Give distinct ids back that are not free; they are staged."""
        if len(ids) == 0:
            return
        cells = ids - self._first_id
        self._code[cells] = self._round
        self._staged_count += len(cells)
        self._staged_min = min(self._staged_min, int(np.minimum.reduce(cells)))

    prepend = append

    def to_array(self) -> Ids:
        """All free ids, the listed ones first; each part ascends."""
        listed = np.flatnonzero((self._code > 0) & (self._code < self._round))
        staged = np.flatnonzero(self._code == self._round)
        return np.concatenate((listed, staged)).astype(np.int64) + self._first_id

    def _merge(self) -> None:
        self.listed += self._staged_count
        if self._at < len(self._ready):
            self._cursor = int(self._ready[self._at])
        self._cursor = min(self._cursor, self._staged_min)
        self._ready, self._at = self._ready[:0], 0
        self._staged_count, self._staged_min = 0, self._size
        self._round += 1
        if self._round > _LAST_ROUND - 1:
            np.minimum(self._code, 1, out=self._code)
            self._round = _FIRST_ROUND

    def _refill(self, count: int) -> None:
        """Read on until `count` cells lie ready; there are as many listed."""
        found = [self._ready[self._at :]]
        missing = count - len(found[0])
        window = _WINDOW_MIN
        while missing > 0:
            # Unsigned wrap-around turns "0 < code < round" into one comparison.
            codes = self._code[self._cursor : self._cursor + window]
            hits = (codes - np.uint8(1) < self._round - 1).nonzero()[0]
            hits += self._cursor
            found.append(hits)
            missing -= len(hits)
            self._cursor += window
            window = min(2 * window, _WINDOW_MAX)
        self._ready, self._at = np.concatenate(found), 0
