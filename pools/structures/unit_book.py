"""Per-unit state, generation and owner of a KV pool, and the sums of live owners.

A unit is what the pool hands out: a page, or a token when the page is one token. Arrays have
shape (units + 1,), index 0 is padding. The owners' sums are a book of their own: they are kept
from what owners were given and gave back, never from the free list.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from pools.errors import DoubleFree, ForeignIndex, IntegrityError
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, LEAKED, PROTECTED, RETIRED, STATES

Units = NDArray[np.int64]
Owners = NDArray[np.int32]
NOBODY = -1
_NO_OWNERS: Owners = np.empty(0, np.int32)


class UnitBook:
    """States and owners of units 1 .. num_units; refuses what cannot be.

    Attributes:
        held_by: units per live owner.
        held: their sum.
        bumps_total: units ever handed out.
    """

    def __init__(self, num_units: int, unit_name: str = "unit") -> None:
        """All units available.

        Args:
            num_units: how many.
            unit_name: "page" or "token", for messages.
        """
        self.num_units, self.unit_name = num_units, unit_name
        self.state = np.full(num_units + 1, AVAILABLE, np.uint8)
        self.state[0] = RETIRED
        self.generation = np.zeros(num_units + 1, np.uint32)
        self.owner = np.full(num_units + 1, NOBODY, np.int32)
        self.held_by: Counter[int] = Counter()
        self.held = self.bumps_total = 0
        self._rank = np.zeros(num_units + 1, np.int32)

    def give(self, units: Units, owner: int) -> None:
        """Available units go to one owner."""
        self._enter(units, owner)
        self.held_by[owner] += len(units)

    def give_each(self, units: Units, owners: NDArray[np.integer]) -> None:
        """Available unit i goes to owner i; both of shape (n,)."""
        self._enter(units, owners)
        self.held_by.update(owners.tolist())

    def check_free(self, units: Units) -> Owners:
        """Refuse units that cannot be freed; the owners of the held ones among them.

        Raises:
            ForeignIndex: outside the pool, or locked by the tree.
            DoubleFree: available already, or twice within this call.
        """
        self._check_known(units)
        state = self.state[units]
        by_state = np.bincount(state, minlength=RETIRED + 1).tolist()
        if by_state[AVAILABLE]:
            self._refuse(DoubleFree, units, state == AVAILABLE, "is free already")
        if by_state[PROTECTED]:
            self._refuse(ForeignIndex, units, state == PROTECTED, "is locked in the prefix tree")
        self._check_distinct(units, "free")
        if by_state[HELD] == len(units):
            return self.owner[units]
        return self.owner[units[state == HELD]] if by_state[HELD] else _NO_OWNERS

    def take_back(self, units: Units, owners: Owners) -> None:
        """Units become available; `owners`, as `check_free` found them, hold less."""
        self._debit(owners)
        self.state[units] = AVAILABLE
        self.owner[units] = NOBODY

    def adopt(self, units: Units, state: int) -> None:
        """The tree takes held units over from their owners, into PROTECTED or EVICTABLE.

        Raises:
            ForeignIndex: a unit that nobody holds.
            DoubleFree: a unit that is named twice.
        """
        self._check_known(units)
        self._check_distinct(units, "takeover")
        not_held = self.state[units] != HELD
        if not_held.any():
            self._refuse(ForeignIndex, units, not_held, "is not held, the tree cannot take it over")
        self._debit(self.owner[units])
        self.state[units] = state
        self.owner[units] = NOBODY

    def mark(self, units: Units, state: int) -> None:
        """The tree's lock on its own units changes.

        Raises:
            ForeignIndex: a unit that is not the tree's.
        """
        self._check_known(units)
        before = self.state[units]
        foreign = (before != EVICTABLE) & (before != PROTECTED)
        if foreign.any():
            self._refuse(ForeignIndex, units, foreign, "is not held by the prefix tree")
        self.state[units] = state

    def check_held(self, units: Units, owners: NDArray[np.integer]) -> None:
        """Refuse to write on into units that their owner does not hold; shapes (n,).

        Raises:
            ForeignIndex: a unit outside the pool, free, the tree's, or of another owner.
        """
        self._check_known(units)
        wrong = (self.state[units] != HELD) | (self.owner[units] != owners)
        if wrong.any():
            self._refuse(
                ForeignIndex, units, wrong, "is not held by the request that goes on in it"
            )

    def disown(self, owner: int) -> int:
        """The owner is gone and gave nothing back; how many units are leaked now. O(units)."""
        units = np.flatnonzero((self.owner == owner) & (self.state == HELD))
        self.state[units] = LEAKED
        self.held -= self.held_by.pop(owner, 0)
        return len(units)

    def clear(self) -> None:
        """Everything available; generations go on."""
        self.state[1:] = AVAILABLE
        self.owner.fill(NOBODY)
        self.held_by.clear()
        self.held = 0

    def audit(self, free: Units, evictable: int, protected: int) -> None:
        """Compare states with the free list, the tree's sizes (in units) and the owners' sums.

        Raises:
            IntegrityError: naming what differs.
        """
        by_state = np.bincount(self.state[1:], minlength=RETIRED + 1).tolist()
        listed = np.zeros(self.num_units + 1, np.bool_)
        if free.size and (free.min() < 1 or free.max() > self.num_units):
            raise IntegrityError(
                f"the free list holds ids from {free.min()} to {free.max()}, units are 1 to "
                f"{self.num_units}",
                num_units=self.num_units,
            )
        listed[free] = True
        distinct = int(np.count_nonzero(listed))
        if distinct != len(free):
            raise IntegrityError(
                f"the free list holds a unit twice: {len(free)} entries for {distinct} units",
                free=len(free),
                distinct=distinct,
            )
        books = {AVAILABLE: len(free), EVICTABLE: evictable, PROTECTED: protected, HELD: self.held}
        for state, count in books.items():
            if by_state[state] != count:
                raise IntegrityError(
                    f"{STATES[state]}: {by_state[state]} units by state, {count} by the other book",
                    states=by_state[state],
                    book=count,
                )
        if not np.array_equal(listed[1:], self.state[1:] == AVAILABLE):
            unit = int(np.flatnonzero(listed[1:] != (self.state[1:] == AVAILABLE))[0]) + 1
            raise IntegrityError(f"unit {unit} is free by list but not by state", unit=unit)
        self._audit_owners()

    def _audit_owners(self) -> None:
        owners, sums = np.unique(self.owner[self.state == HELD], return_counts=True)
        found = dict(zip(owners.tolist(), sums.tolist(), strict=True))
        # An owner of nothing may stay in the book with 0.
        booked = {owner: count for owner, count in self.held_by.items() if count}
        if found != booked:
            owner = min(o for o in found.keys() | booked if found.get(o) != booked.get(o))
            raise IntegrityError(
                "owner per unit and sums over owners differ: "
                f"owner {owner} has {found.get(owner, 0)} units, {booked.get(owner, 0)} by its sum",
                owner=owner,
                units=found.get(owner, 0),
                booked=booked.get(owner, 0),
            )

    def _enter(self, units: Units, owner: int | NDArray[np.integer]) -> None:
        self.state[units] = HELD
        self.generation[units] += 1
        self.owner[units] = owner
        self.held += len(units)
        self.bumps_total += len(units)

    def _debit(self, owners: Owners) -> None:
        if owners.size == 0:
            return
        first = int(owners[0])
        if owners.size == 1 or (owners == first).all():
            self._debit_one(first, owners.size)
            return
        for owner, count in Counter(owners.tolist()).items():
            self._debit_one(owner, count)

    def _debit_one(self, owner: int, count: int) -> None:
        left = self.held_by[owner] - count
        if left:
            self.held_by[owner] = left
        else:
            del self.held_by[owner]
        self.held -= count

    def _check_known(self, units: Units) -> None:
        # One comparison for both ends: seen as unsigned, 0 - 1 and negatives are huge.
        if units.size and int((units - 1).view(np.uint64).max()) >= self.num_units:
            bad = (units < 1) | (units > self.num_units)
            self._refuse(ForeignIndex, units, bad, "is no unit of this pool")

    def _check_distinct(self, units: Units, call: str) -> None:
        # Every unit remembers the last place that named it: O(units), where a sort is not.
        if len(units) < 2:
            return
        place = np.arange(len(units), dtype=np.int32)
        self._rank[units] = place
        repeated = self._rank[units] != place
        if repeated.any():
            unit, bad, num = int(units[repeated][0]), int(repeated.sum()), len(units)
            raise DoubleFree(
                f"{self.unit_name} {unit} is named twice in one {call}; {bad} of {num} are",
                unit=unit,
                num_bad=bad,
                num_units=num,
            )

    def _refuse(
        self,
        error: type[DoubleFree] | type[ForeignIndex],
        units: Units,
        bad: NDArray[np.bool_],
        why: str,
    ) -> None:
        first, num_bad = int(units[np.flatnonzero(bad)[0]]), int(bad.sum())
        raise error(
            f"{self.unit_name} {first} {why}; {num_bad} of {len(units)} given are refused",
            unit=first,
            num_bad=num_bad,
            num_units=len(units),
            capacity=self.num_units,
        )
