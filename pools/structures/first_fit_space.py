"""Free space as ranges by address: the lowest one that is large enough is cut.

    best fit    [  9 ][ 4 ][ 6 ]   take 4 ──► the 4: small holes are used up, none is left over
    first fit   [  9 ][ 4 ][ 6 ]   take 4 ──► from the 9: low addresses stay full, high ones free

A choice beside SGLang's best fit, to compare what each leaves in pieces. There are never more
ranges than leases and one, so a call is one vectorised pass over a few thousand numbers.
"""

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import FreeRanges
from pools.structures.audit import compare
from pools.structures.free_ranges import MergeMode, joined
from pools.structures.occupancy import free_ranges

Ints = NDArray[np.int64]


class FirstFitSpace:
    """Free ranges of the address space [begin, end), all amounts in bytes; answers as `FreeSpace`.

    Attributes:
        total: free bytes, a count of its own.
    """

    def __init__(self, begin: int, end: int, *, merge: MergeMode = "deferred") -> None:
        """One free range over the whole space; `merge` as in `MergeMode`."""
        self.begin, self.end, self._on_free = begin, end, merge == "on_free"
        self.clear()

    def clear(self) -> None:
        """Everything free again, in one range."""
        self.total = self.end - self.begin
        self._starts, self._ends = np.array([self.begin]), np.array([self.end])

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def seams(self) -> int:
        """Pairs of free ranges that touch and wait to be merged."""
        return int(np.count_nonzero(self._starts[1:] == self._ends[:-1]))

    @property
    def largest(self) -> int:
        """Largest range, which is also the largest request that fits now."""
        return int((self._ends - self._starts).max(initial=0))

    @property
    def largest_after_merge(self) -> int:
        """Largest request that would fit if neighbours were merged now."""
        if not len(self):
            return 0
        starts, ends = joined(self._starts, self._ends)
        return int((ends - starts).max())

    def edges(self) -> Ints:
        """Start and end of each range, by address: s0, e0, s1, e1, …; int64."""
        return np.column_stack((self._starts, self._ends)).reshape(-1)

    def order(self) -> list[tuple[int, int]]:
        """Ranges as (start, end) in the order in which they are preferred: by address."""
        return list(zip(self._starts.tolist(), self._ends.tolist(), strict=True))

    def describe(self) -> FreeRanges:
        """Figures over the ranges."""
        found = free_ranges(self.edges(), any_fits=False)
        return FreeRanges(
            count=found.count,
            largest=found.largest,
            total=found.total,
            histogram=found.histogram,
            external_fragmentation_frac=found.external_fragmentation_frac,
            largest_fit_now=found.largest,
            largest_fit_after_merge=self.largest_after_merge,
        )

    def take(self, size: int) -> int | None:
        """Cut `size` bytes, at least 1, from the low end of the lowest range that has them.

        Returns:
            The start address; None when no single range is as large, and nothing has changed.
        """
        fits = self._ends - self._starts >= size
        at = int(fits.argmax()) if len(fits) else 0
        if not len(fits) or not fits[at]:
            return None
        start = int(self._starts[at])
        self.total -= size
        if start + size == int(self._ends[at]):
            self._starts, self._ends = np.delete(self._starts, at), np.delete(self._ends, at)
        else:
            self._starts[at] += size
        return start

    def give_back(self, start: int, end: int) -> None:
        """Return [start, end), which the caller has checked to be taken."""
        self.total += end - start
        at = int(self._starts.searchsorted(start))
        self._starts = np.insert(self._starts, at, start)
        self._ends = np.insert(self._ends, at, end)
        if self._on_free:
            self.merge()

    def give_back_and_merge(self, starts: Ints, ends: Ints) -> None:
        """Return many taken ranges, shapes (n,), and merge."""
        self.total += int((ends - starts).sum())
        self._starts = np.concatenate((self._starts, starts))
        self._ends = np.concatenate((self._ends, ends))
        self.merge()

    def merge(self) -> None:
        """Join touching ranges."""
        if len(self):
            self._starts, self._ends = joined(self._starts, self._ends)

    def audit(self) -> None:
        """Compare the total and the order of the ranges.

        Raises:
            IntegrityError: naming what differs.
        """
        starts, ends = self._starts, self._ends
        books = {
            "bytes": (self.total, int((ends - starts).sum())),
            "empty ranges": (0, int((ends <= starts).sum())),
            "overlaps": (0, int((starts[1:] < ends[:-1]).sum())),
        }
        compare("free ranges", books)
