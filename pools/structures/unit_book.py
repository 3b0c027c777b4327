"""Per-unit state, generation and owner of a KV pool, and the sums of live owners.

A unit is what the pool hands out: a page, or a token when the page is one token. Arrays have
shape (units + 1,), index 0 is padding. The owners' sums are a book of their own: they are kept
from what owners were given and gave back, never from the free list.
"""

import numpy as np
from numpy.typing import NDArray

from pools.errors import DoubleFree, ForeignIndex, IntegrityError
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, LEAKED, PROTECTED, RETIRED

Units = NDArray[np.int64]
NOBODY = -1


class UnitBook:
    """States and owners of units 1 .. num_units."""

    def __init__(self, num_units: int) -> None:
        self.num_units = num_units
        self.state = np.full(num_units + 1, AVAILABLE, np.uint8)
        self.state[0] = RETIRED
        self.generation = np.zeros(num_units + 1, np.uint32)
        self.owner = np.full(num_units + 1, NOBODY, np.int32)
        self.held_by: dict[int, int] = {}
        self.held = 0

    def give(self, units: Units, owner: int) -> None:
        """Units go to one owner."""
        self.state[units] = HELD
        self.generation[units] += 1
        self.owner[units] = owner
        self._credit(owner, len(units))

    def give_each(self, units: Units, owners: NDArray[np.integer]) -> None:
        """Unit i goes to owner i."""
        self.state[units] = HELD
        self.generation[units] += 1
        self.owner[units] = owners
        for owner in owners.tolist():
            self._credit(owner, 1)

    def take_back(self, units: Units) -> None:
        """Units become available; owners who held some hold less."""
        self._debit_holders(units)
        self.state[units] = AVAILABLE
        self.owner[units] = NOBODY

    def adopt(self, units: Units, state: int) -> None:
        """The tree takes units over from their owners, into PROTECTED or EVICTABLE."""
        self._debit_holders(units)
        self.state[units] = state

    def mark(self, units: Units, state: int) -> None:
        """The tree's lock on its own units changes."""
        self.state[units] = state

    def disown(self, owner: int) -> int:
        """The owner is gone and gave nothing back; how many units are leaked now."""
        units = np.flatnonzero((self.owner == owner) & (self.state == HELD))
        self.state[units] = LEAKED
        self.held -= self.held_by.pop(owner, 0)
        return len(units)

    def clear(self) -> None:
        """Everything available; generations go on."""
        self.state[1:] = AVAILABLE
        self.owner[:] = NOBODY
        self.held_by.clear()
        self.held = 0

    def check_free(self, units: Units, given: int) -> None:
        """Refuse units that cannot be freed.

        Raises:
            ForeignIndex: outside the pool, or locked by the tree.
            DoubleFree: available already, or twice within this call.
        """
        bad = (units < 1) | (units > self.num_units)
        if bad.any():
            self._refuse(ForeignIndex, units, bad, "is no unit of this pool")
        if len(units) > 1 and len(np.unique(units)) != given:
            raise DoubleFree(
                f"{given - len(np.unique(units))} of {given} units were named twice in one free",
                num_units=given,
            )
        state = self.state[units]
        if (state == AVAILABLE).any():
            self._refuse(DoubleFree, units, state == AVAILABLE, "is free already")
        if (state == PROTECTED).any():
            self._refuse(ForeignIndex, units, state == PROTECTED, "is locked in the prefix tree")

    def audit(self, free: Units, evictable: int, protected: int) -> None:
        """Compare states with the free list, the tree's sizes (in units) and the owners' sums.

        Raises:
            IntegrityError: naming what differs.
        """
        if len(np.unique(free)) != len(free):
            raise IntegrityError("the free list holds a unit twice", free=len(free))
        counts = np.bincount(self.state[1:], minlength=RETIRED + 1)
        if not (self.state[free] == AVAILABLE).all() or counts[AVAILABLE] != len(free):
            _differ("available", int(counts[AVAILABLE]), len(free))
        if counts[EVICTABLE] != evictable:
            _differ("evictable", int(counts[EVICTABLE]), evictable)
        if counts[PROTECTED] != protected:
            _differ("protected", int(counts[PROTECTED]), protected)
        if counts[HELD] != self.held:
            _differ("held", int(counts[HELD]), self.held)
        owners, sums = np.unique(self.owner[self.state == HELD], return_counts=True)
        if dict(zip(owners.tolist(), sums.tolist(), strict=True)) != self.held_by:
            raise IntegrityError("owner per unit and sums over owners differ")

    def _credit(self, owner: int, count: int) -> None:
        self.held_by[owner] = self.held_by.get(owner, 0) + count
        self.held += count

    def _debit_holders(self, units: Units) -> None:
        owners = self.owner[units[self.state[units] == HELD]]
        if owners.size == 0:
            return
        if (owners == owners[0]).all():
            self._debit(int(owners[0]), owners.size)
            return
        for owner, count in zip(*np.unique(owners, return_counts=True), strict=True):
            self._debit(int(owner), int(count))

    def _debit(self, owner: int, count: int) -> None:
        left = self.held_by.get(owner, 0) - count
        if left:
            self.held_by[owner] = left
        else:
            self.held_by.pop(owner, None)
        self.held -= count

    def _refuse(
        self,
        error: type[DoubleFree] | type[ForeignIndex],
        units: Units,
        bad: NDArray[np.bool_],
        why: str,
    ) -> None:
        first = int(units[int(np.flatnonzero(bad)[0])])
        raise error(f"unit {first} {why}", unit=first, num_bad=int(bad.sum()))


def _differ(name: str, states: int, book: int) -> None:
    raise IntegrityError(
        f"{name}: {states} units by state, {book} by the other book", states=states, book=book
    )
