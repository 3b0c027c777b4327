"""Free space as ranges: best fit in the order of SGLang's list, logarithmic in the ranges.

Upstream keeps one list of ranges, takes the smallest that fits (ties: the earlier in the list),
appends what remains, appends what is released, and sorts and merges the list only in the recycle
pass. A range's place in that list is its address if it was there at the last merge, and the order
of its append if not. So one key per range orders all of them, and the list is not needed:

    key = (size, tie, start)        tie = start             present at the last merge
                                    tie = end + appends     appended since, after all of those
"""

from bisect import bisect_left, insort
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pools.errors import IntegrityError
from pools.snapshot import FreeRanges

#: deferred: neighbours merge only when `merge` runs, as upstream; on_free: at once
MergeMode = Literal["deferred", "on_free"]

Key = tuple[int, int, int]

#: above this share of dead keys one pass over the order is cheaper than single removals
_REBUILD_DIVISOR = 8
_SIZE_BITS = 64


class FreeSpace:
    """Free ranges of the address space [begin, end), all amounts in bytes.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py (_available_ranges with
    _allocate_locked, _release_locked, _merge_ranges_locked), answer for answer.

    Attributes:
        total: free bytes.
        seams: pairs of free ranges that touch and have not been merged.
    """

    def __init__(self, begin: int, end: int, *, merge: MergeMode = "deferred") -> None:
        """One free range over the whole space; `merge` as in `MergeMode`."""
        self.begin, self.end, self.merge_mode = begin, end, merge
        self.clear()

    def clear(self) -> None:
        """Everything free again, in one range."""
        self.total = 0
        self.seams = 0
        self._order: list[Key] = []
        self._key_at: dict[int, Key] = {}
        self._start_before: dict[int, int] = {}
        self._unmerged: dict[int, None] = {}
        self._appends = 0
        self._size_counts = [0] * _SIZE_BITS
        self._largest_after_merge: int | None = None
        self._insert(self.begin, self.end, self.begin)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def largest(self) -> int:
        """Largest range, which is also the largest request that fits now."""
        return self._order[-1][0] if self._order else 0

    @property
    def largest_after_merge(self) -> int:
        """Largest request that would fit if neighbours were merged now; O(1) without seams."""
        if not self.seams:
            return self.largest
        if self._largest_after_merge is None:
            runs = self._runs_with_unmerged()
            self._largest_after_merge = max(self.largest, *(end - start for start, end in runs))
        return self._largest_after_merge

    def edges(self) -> NDArray[np.int64]:
        """Start and end of each range, by address: s0, e0, s1, e1, …; int64, O(n log n)."""
        flat = np.empty((len(self._start_before), 2), np.int64)
        flat[:, 1] = np.fromiter(self._start_before, np.int64, len(flat))
        flat[:, 0] = np.fromiter(self._start_before.values(), np.int64, len(flat))
        return flat[flat[:, 0].argsort()].reshape(-1)

    def describe(self) -> FreeRanges:
        """Figures over the ranges, O(1) unless neighbours wait to be merged."""
        largest = self.largest
        return FreeRanges(
            count=len(self._order),
            largest=largest,
            total=self.total,
            histogram=tuple(self._size_counts[: largest.bit_length()]),
            external_fragmentation_frac=1.0 - largest / self.total if self.total else 0.0,
            largest_fit_now=largest,
            largest_fit_after_merge=self.largest_after_merge,
        )

    def take(self, size: int) -> int | None:
        """Cut `size` bytes from the low end of the best range.

        Returns:
            The start address; None when no single range is as large, and nothing has changed.
        """
        at = bisect_left(self._order, (size, 0, 0))
        if at == len(self._order):
            return None
        found, _, start = self._order[at]
        self._forget(at)
        if found > size:
            self._append(start + size, start + found)
        return start

    def give_back(self, start: int, end: int) -> None:
        """Return [start, end), which the caller has checked to be taken."""
        if self.merge_mode == "on_free":
            start, end = self._swallow_neighbours(start, end)
        self._append(start, end)

    def merge(self) -> None:
        """Join touching ranges and order all of them by address within a size.

        Touches only ranges that were appended since the last merge, and their neighbours.
        """
        if not self._unmerged:
            return
        runs = self._runs_with_unmerged()
        dead = [key for start, end in runs for key in self._keys_within(start, end)]
        if len(dead) * _REBUILD_DIVISOR > len(self._order):
            gone = set(dead)
            self._order = [key for key in self._order if key not in gone]
        else:
            for key in dead:
                del self._order[bisect_left(self._order, key)]
        for size, _, start in dead:
            del self._key_at[start], self._start_before[start + size]
            self._size_counts[size.bit_length() - 1] -= 1
            self.total -= size
        self._unmerged.clear()
        self.seams = 0
        self._insert_runs(runs)
        self._appends = 0

    def audit(self) -> None:
        """Compare the order, both maps, the totals and the seams. O(n log n).

        Raises:
            IntegrityError: naming what differs.
        """
        edges = self.edges()
        starts, ends = edges[::2], edges[1::2]
        sizes = sorted((ends - starts).tolist())
        found = {
            "total": (self.total, sum(sizes)),
            "seams": (self.seams, int((starts[1:] == ends[:-1]).sum())),
            "ranges": (len(self._key_at), len(sizes)),
            "size counts": (sum(self._size_counts), len(sizes)),
        }
        for what, (kept, counted) in found.items():
            if kept != counted:
                raise IntegrityError(f"free {what}: kept {kept}, counted {counted}")
        if self._order != sorted(self._key_at.values()) or [k[0] for k in self._order] != sizes:
            raise IntegrityError("the order of free ranges differs from the ranges by address")
        if (starts[1:] < ends[:-1]).any():
            raise IntegrityError("free ranges overlap")

    def _append(self, start: int, end: int) -> None:
        if self.merge_mode == "on_free":
            self._insert(start, end, start)
            return
        self._unmerged[start] = None
        self._insert(start, end, self.end + self._appends)
        self._appends += 1

    def _insert(self, start: int, end: int, tie: int) -> None:
        self.seams += (start in self._start_before) + (end in self._key_at)
        key = (end - start, tie, start)
        insort(self._order, key)
        self._record(key, end)

    def _record(self, key: Key, end: int) -> None:
        size, _, start = key
        self._key_at[start] = key
        self._start_before[end] = start
        self._size_counts[size.bit_length() - 1] += 1
        self.total += size
        self._largest_after_merge = None

    def _forget(self, at: int) -> None:
        size, _, start = self._order.pop(at)
        end = start + size
        del self._key_at[start], self._start_before[end]
        self._unmerged.pop(start, None)
        self.seams -= (start in self._start_before) + (end in self._key_at)
        self._size_counts[size.bit_length() - 1] -= 1
        self.total -= size
        self._largest_after_merge = None

    def _swallow_neighbours(self, start: int, end: int) -> tuple[int, int]:
        before, after = self._start_before.get(start), self._key_at.get(end)
        if before is not None:
            self._forget(bisect_left(self._order, self._key_at[before]))
            start = before
        if after is not None:
            self._forget(bisect_left(self._order, after))
            end += after[0]
        return start, end

    def _runs_with_unmerged(self) -> list[tuple[int, int]]:
        runs: list[tuple[int, int]] = []
        seen: set[int] = set()
        for start in self._unmerged:
            if start in seen:
                continue
            first = start
            while (before := self._start_before.get(first)) is not None:
                first = before
            end = first
            while (key := self._key_at.get(end)) is not None:
                seen.add(end)
                end += key[0]
            runs.append((first, end))
        return runs

    def _keys_within(self, start: int, end: int) -> list[Key]:
        keys: list[Key] = []
        while start < end:
            keys.append(self._key_at[start])
            start += keys[-1][0]
        return keys

    def _insert_runs(self, runs: list[tuple[int, int]]) -> None:
        fresh = [(end - start, start, start) for start, end in runs]
        if len(fresh) * _REBUILD_DIVISOR > len(self._order):
            self._order += fresh
            self._order.sort()
        else:
            for key in fresh:
                insort(self._order, key)
        for key in fresh:
            self._record(key, key[0] + key[2])
