"""Free space as ranges: best fit in the order of SGLang's list, logarithmic in the ranges.

Upstream keeps one list of ranges and takes the smallest that fits; of equal ones the earlier in
the list. A split appends what remains, a release appends what returns, and only the recycle pass
sorts and merges. So two sorted lists hold the same order without a scan:

    merged    (size, start)             there at the last merge, of one size by address
    recent    (size, append, start)     appended since; of one size after all merged ones
"""

from bisect import bisect_left, insort
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import FreeRanges
from pools.structures.audit import compare

#: deferred: neighbours merge only when `merge` runs, as upstream; on_free: at once
MergeMode = Literal["deferred", "on_free"]

Ints = NDArray[np.int64]

#: a merge of so many ranges, and of so large a share of all, sorts everything in one numpy pass
_REBUILD_COUNT, _REBUILD_DIVISOR = 64, 8
_NONE = np.empty(0, np.int64)


class FreeSpace:
    """Free ranges of the address space [begin, end), all amounts in bytes.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py (_available_ranges with
    _allocate_locked, _release_locked, _merge_ranges_locked), answer for answer.

    Attributes:
        total: free bytes.
        seams: pairs of free ranges that touch and wait to be merged.
    """

    def __init__(self, begin: int, end: int, *, merge: MergeMode = "deferred") -> None:
        """One free range over the whole space; `merge` as in `MergeMode`."""
        self.begin, self.end, self._on_free = begin, end, merge == "on_free"
        self.clear()

    def clear(self) -> None:
        """Everything free again, in one range."""
        self.total, self.seams = self.end - self.begin, 0
        self._merged = [(self.total, self.begin)]
        self._recent: list[tuple[int, int, int]] = []
        self._appends = 0
        self._end_of = {self.begin: self.end}
        self._start_of = {self.end: self.begin}
        self._largest_run: int | None = None

    def __len__(self) -> int:
        return len(self._end_of)

    @property
    def largest(self) -> int:
        """Largest range, which is also the largest request that fits now."""
        merged = self._merged[-1][0] if self._merged else 0
        return max(merged, self._recent[-1][0]) if self._recent else merged

    @property
    def largest_after_merge(self) -> int:
        """Largest request that would fit if neighbours were merged now; O(1) without seams."""
        if not self.seams:
            return self.largest
        if self._largest_run is None:
            starts, ends = joined(*self._by_address())
            self._largest_run = int((ends - starts).max())
        return self._largest_run

    def edges(self) -> Ints:
        """Start and end of each range, by address: s0, e0, s1, e1, …; int64, O(n log n)."""
        return np.column_stack(self._by_address()).reshape(-1)

    def order(self) -> list[tuple[int, int]]:
        """Ranges as (start, end) in the order in which equal fits are preferred, by size."""
        keys = [(size, 0, start) for size, start in self._merged] + self._recent
        return [(start, start + size) for size, _, start in sorted(keys)]

    def describe(self) -> FreeRanges:
        """Figures over the ranges, O(log n) unless neighbours wait to be merged."""
        largest = self.largest
        below = [
            bisect_left(self._merged, (1 << k, 0)) + bisect_left(self._recent, (1 << k, 0, 0))
            for k in range(largest.bit_length() + 1)
        ]
        return FreeRanges(
            count=len(self),
            largest=largest,
            total=self.total,
            histogram=tuple(b - a for a, b in pairwise(below)),
            external_fragmentation_frac=1.0 - largest / self.total if self.total else 0.0,
            largest_fit_now=largest,
            largest_fit_after_merge=self.largest_after_merge,
        )

    def take(self, size: int) -> int | None:
        """Cut `size` bytes, at least 1, from the low end of the best range.

        Returns:
            The start address; None when no single range is as large, and nothing has changed.
        """
        merged, recent = self._merged, self._recent
        at, also = bisect_left(merged, (size, 0)), bisect_left(recent, (size, 0, 0))
        if at < len(merged) and (also == len(recent) or merged[at][0] <= recent[also][0]):
            found, start = merged.pop(at)
        elif also < len(recent):
            found, _, start = recent.pop(also)
        else:
            return None
        end = self._end_of.pop(start)
        self.total -= size
        self.seams -= start in self._start_of
        self._largest_run = None
        if found == size:
            del self._start_of[end]
            self.seams -= end in self._end_of
        else:
            self._put(start + size, end)
        return start

    def give_back(self, start: int, end: int) -> None:
        """Return [start, end), which the caller has checked to be taken."""
        self.total += end - start
        self._largest_run = None
        if self._on_free:
            start, end = self._swallow(start, end)
        self.seams += (start in self._start_of) + (end in self._end_of)
        self._put(start, end)

    def give_back_and_merge(self, starts: Ints, ends: Ints) -> None:
        """Return many taken ranges, shapes (n,), and merge: one pass when they are many."""
        if self._is_many(len(starts)):
            self.total += int((ends - starts).sum())
            self._rebuild(starts, ends)
            return
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self.give_back(start, end)
        self.merge()

    def merge(self) -> None:
        """Join touching ranges and order all of them by address within a size.

        Touches only ranges that were appended since the last merge, and their neighbours.
        """
        if self._is_many(len(self._recent)):
            self._rebuild(_NONE, _NONE)
            return
        end_of, start_of = self._end_of, self._start_of
        heads = []
        for _, _, start in self._recent:
            end = end_of.pop(start, None)
            if end is None:
                continue  # part of a run that was joined before
            del start_of[end]
            start, end = self._swallow(start, end)
            heads.append((start, end))
        for start, end in heads:
            end_of[start] = end
            start_of[end] = start
            insort(self._merged, (end - start, start))
        self._after_merge()

    def audit(self) -> None:
        """Compare both orders, both maps, the total and the seams. O(n log n).

        Raises:
            IntegrityError: naming what differs.
        """
        starts, ends = self._by_address()
        ranges = list(zip(starts.tolist(), ends.tolist(), strict=True))
        by_end = sorted((start, end) for end, start in self._start_of.items())
        books = {
            "bytes": (self.total, int((ends - starts).sum())),
            "seams": (self.seams, int((starts[1:] == ends[:-1]).sum())),
            "ranges by end": (by_end, ranges),
            "ranges by size": (sorted(self.order()), ranges),
            "order of merged ranges": (self._merged, sorted(self._merged)),
            "order of recent ranges": (self._recent, sorted(self._recent)),
            "overlaps": (0, int((starts[1:] < ends[:-1]).sum())),
        }
        compare("free ranges", books)

    def _put(self, start: int, end: int) -> None:
        self._end_of[start] = end
        self._start_of[end] = start
        if self._on_free:
            insort(self._merged, (end - start, start))
        else:
            self._appends += 1
            insort(self._recent, (end - start, self._appends, start))

    def _swallow(self, start: int, end: int) -> tuple[int, int]:
        # Takes the ranges that touch [start, end), on both sides, out of every book but `recent`.
        end_of, start_of = self._end_of, self._start_of
        while (before := start_of.pop(start, None)) is not None:
            del end_of[before]
            self._drop(start - before, before)
            start = before
        while (after := end_of.pop(end, None)) is not None:
            del start_of[after]
            self._drop(after - end, end)
            end = after
        return start, end

    def _drop(self, size: int, start: int) -> None:
        at = bisect_left(self._merged, (size, start))
        if at < len(self._merged) and self._merged[at] == (size, start):
            del self._merged[at]

    def _rebuild(self, starts: Ints, ends: Ints) -> None:
        # The ranges kept and those given, as one sorted pass over arrays.
        kept_starts, kept_ends = self._by_address()
        starts, ends = joined(np.append(kept_starts, starts), np.append(kept_ends, ends))
        first, last = starts.tolist(), ends.tolist()
        self._end_of = dict(zip(first, last, strict=True))
        self._start_of = dict(zip(last, first, strict=True))
        by_size = np.lexsort((starts, ends - starts))
        sizes = (ends - starts)[by_size].tolist()
        self._merged = list(zip(sizes, starts[by_size].tolist(), strict=True))
        self._after_merge()

    def _is_many(self, count: int) -> bool:
        return count > _REBUILD_COUNT and count * _REBUILD_DIVISOR > len(self)

    def _after_merge(self) -> None:
        self._recent.clear()
        self._appends = self.seams = 0
        self._largest_run = None

    def _by_address(self) -> tuple[Ints, Ints]:
        count = len(self._end_of)
        starts = np.fromiter(self._end_of, np.int64, count)
        ends = np.fromiter(self._end_of.values(), np.int64, count)
        order = starts.argsort()
        return starts[order], ends[order]


def joined(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Ranges by address, at least one, with those that touch as one; shapes (n,), int64."""
    by_address = starts.argsort()
    starts, ends = starts[by_address], ends[by_address]
    gap = starts[1:] != ends[:-1]
    return starts[np.append(True, gap)], ends[np.append(gap, True)]
