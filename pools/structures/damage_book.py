"""The unit book of a pool that accepts what SGLang accepts, and shows what came of it.

A unit freed twice is handed out twice: it then has two owners, and each gives it back once. An id
that is no unit at all can be freed, handed out and given back. Nothing here is fast; pools with
`checks="upstream"` serve scenarios and reproductions.
"""

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import AVAILABLE, HELD
from pools.structures.unit_book import NOBODY, Owners, UnitBook, Units


class DamageBook(UnitBook):
    """A `UnitBook` without refusals, that counts every owner of every id."""

    def __init__(self, num_units: int, unit_name: str = "unit") -> None:
        super().__init__(num_units, unit_name)
        #: owners beside the one in `owner`: of units with several, and of ids that are no units
        self._more: dict[int, list[int]] = {}

    def give(self, units: Units, owner: int) -> None:
        """Ids go to one owner, whoever has them already."""
        self.give_each(units, np.full(len(units), owner))

    def give_each(self, units: Units, owners: NDArray[np.integer]) -> None:
        """Id i goes to owner i, whoever has it already."""
        for unit, owner in zip(units.tolist(), owners.tolist(), strict=True):
            if not self._is_unit(unit):
                self._more.setdefault(unit, []).append(owner)
            else:
                if self.state[unit] == HELD:
                    self._more.setdefault(unit, []).append(int(self.owner[unit]))
                self.state[unit], self.owner[unit] = HELD, owner
                self.generation[unit] += np.uint32(1)
            self.held_by[owner] += 1
        self.held += len(units)
        self.bumps_total += len(units)

    def check_free(self, units: Units) -> Owners:
        """Nothing is refused; who gives back is found unit by unit."""
        return np.empty(0, np.int32)

    def take_back(self, units: Units, owners: Owners) -> None:
        """One owner of each id, if it has any, holds less; the last one makes it available."""
        for unit in units.tolist():
            held = self._is_unit(unit) and self.state[unit] == HELD
            others = self._more.get(unit)
            if held:
                self._debit_one(int(self.owner[unit]), 1)
            if others:
                another = others.pop()
                if not others:
                    del self._more[unit]
                if held:
                    self.owner[unit] = another
                else:
                    self._debit_one(another, 1)
            elif self._is_unit(unit):
                self.state[unit], self.owner[unit] = AVAILABLE, NOBODY

    def adopt(self, units: Units, state: int) -> None:
        """The tree takes units over, whatever they are."""
        for unit in units.tolist():
            if not self._is_unit(unit):
                continue
            if self.state[unit] == HELD:
                self._debit_one(int(self.owner[unit]), 1)
            self.state[unit], self.owner[unit] = state, NOBODY

    def mark(self, units: Units, state: int) -> None:
        """The tree's lock changes on units that may have become others'."""
        self.state[units[(units >= 1) & (units <= self.num_units)]] = state

    def check_held(self, units: Units, owners: NDArray[np.integer]) -> None:
        """Nothing is refused."""

    def clear(self) -> None:
        """Everything available; generations go on."""
        super().clear()
        self._more.clear()

    def _is_unit(self, unit: int) -> bool:
        return 1 <= unit <= self.num_units
