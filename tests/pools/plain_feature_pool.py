"""The feature pool's books written the plain way: one list, scanned and sorted each time.

What upstream's list does, so that the indexed books can be held to it step by step.
"""

ALIGNMENT = 256


class PlainRanges:
    """Free ranges in the order of the list."""

    def __init__(self, begin: int, end: int) -> None:
        self.ranges = [(begin, end)]

    def take(self, size: int) -> int | None:
        fits = [(e - s, at) for at, (s, e) in enumerate(self.ranges) if e - s >= size]
        if not fits:
            return None
        start, end = self.ranges.pop(min(fits)[1])
        if end - start > size:
            self.ranges.append((start + size, end))
        return start

    def give_back(self, start: int, end: int) -> None:
        self.ranges.append((start, end))

    def merge(self) -> None:
        self.ranges = self._joined()

    def largest_after_merge(self) -> int:
        return max((end - start for start, end in self._joined()), default=0)

    def by_preference(self) -> list[tuple[int, int]]:
        """Smallest first; of equal ones the earlier in the list (sorting is stable)."""
        return sorted(self.ranges, key=lambda extent: extent[1] - extent[0])

    def _joined(self) -> list[tuple[int, int]]:
        joined: list[tuple[int, int]] = []
        for start, end in sorted(self.ranges):
            if joined and joined[-1][1] == start:
                start = joined.pop()[0]
            joined.append((start, end))
        return joined


class PlainPool:
    """Ranges, a stack of slots and their generations; leases as (start, end, slot, generation)."""

    def __init__(self, begin: int, end: int, num_slots: int, limit: int) -> None:
        self.free = PlainRanges(begin, end)
        self.slots = list(range(num_slots))[::-1]
        self.generations = [0] * num_slots
        self.limit = limit
        self.leases: list[tuple[int, int, int, int]] = []

    def lease(self, nbytes: int) -> tuple[int, int, int, int] | str | None:
        """The lease, None, or "exhausted": the range and the slot are gone by then."""
        size = -(-nbytes // ALIGNMENT) * ALIGNMENT
        if not self.slots:
            return None
        start = self.free.take(size)
        if start is None:
            return None
        slot = self.slots.pop()
        if self.generations[slot] >= self.limit:
            return "exhausted"
        self.generations[slot] += 1
        lease = (start, start + size, slot, self.generations[slot])
        self.leases.append(lease)
        return lease

    def release(self, lease: tuple[int, int, int, int]) -> None:
        self.leases.remove(lease)
        self.slots.append(lease[2])
        self.free.give_back(lease[0], lease[1])

    def recycle(self, acked: set[tuple[int, int]]) -> None:
        """One pass; without any lease out there is no merge either."""
        if not self.leases:
            return
        for lease in [x for x in self.leases if x[2:] in acked]:
            self.release(lease)
        self.free.merge()
