"""Feature memory as upstream keeps it: a list of free ranges, searched from end to end."""

from typing import NamedTuple

ALIGNMENT = 256


class PlainLease(NamedTuple):
    """A range, its slot and the slot's generation."""

    slot: int
    generation: int
    start: int
    end: int


class Features:
    """Best fit over a list; neighbours become one range in a pass of their own."""

    def __init__(self, size: int, num_slots: int) -> None:
        self.ranges = [(0, size)]
        self.slots = list(range(num_slots - 1, -1, -1))
        self.generation = [0] * num_slots
        self.leases: dict[int, PlainLease] = {}

    def lease(self, nbytes: int) -> PlainLease | None:
        """The smallest range that fits, in O(ranges); None when none does or no slot is left."""
        size = -(-nbytes // ALIGNMENT) * ALIGNMENT
        fitting = [
            (end - start, at) for at, (start, end) in enumerate(self.ranges) if end - start >= size
        ]
        if not fitting or not self.slots:
            return None
        _, at = min(fitting)
        start, end = self.ranges.pop(at)
        if start + size < end:
            self.ranges.append((start + size, end))
        slot = self.slots.pop()
        self.generation[slot] += 1
        lease = PlainLease(slot, self.generation[slot], start, start + size)
        self.leases[slot] = lease
        return lease

    def release(self, lease: PlainLease) -> None:
        """Give a lease back; its range waits for the next merge."""
        if self.leases.pop(lease.slot) != lease:
            raise RuntimeError("stale lease")
        self.slots.append(lease.slot)
        self.ranges.append((lease.start, lease.end))

    def merge(self) -> None:
        """Neighbours become one range, in O(ranges log ranges)."""
        merged: list[tuple[int, int]] = []
        for start, end in sorted(self.ranges):
            if merged and merged[-1][1] == start:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((start, end))
        self.ranges = merged
