"""Per-row state, generation and owner of the request slots, and how many rows are held.

Calls are small (mostly one row), so this is plain Python where numpy would cost more than it saves.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pools.errors import DoubleFree, ForeignIndex, IntegrityError
from pools.snapshot import AVAILABLE, HELD, LEAKED, RETIRED

NOBODY = -1


class RowBook:
    """Rows 1 .. size; arrays of shape (size + 1,), index 0 is padding.

    Attributes:
        held: rows given and not given back, a count of its own.
        bumps_total: rows ever handed out.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.state = np.full(size + 1, AVAILABLE, np.uint8)
        self.state[0] = RETIRED
        self.generation = np.zeros(size + 1, np.uint32)
        self.owner = np.full(size + 1, NOBODY, np.int32)
        self.held = self.bumps_total = 0
        #: holders beside the first: of rows handed out twice, and of ids that are no rows
        self._more: Counter[int] = Counter()

    def give(self, rows: list[int], owners: Sequence[int] | None) -> None:
        """Available rows go to owners, one each."""
        if len(rows) == 1:
            self._enter(rows[0], NOBODY if owners is None else owners[0])
        else:
            self._enter(np.array(rows), NOBODY if owners is None else np.array(owners))
        self.held += len(rows)
        self.bumps_total += len(rows)

    def take_back(self, rows: Sequence[int]) -> None:
        """Rows, as `check_free` passes them, become available."""
        index = int(rows[0]) if len(rows) == 1 else np.array(rows)
        self.held -= int(np.count_nonzero(self.state[index] == HELD))
        self.state[index], self.owner[index] = AVAILABLE, NOBODY

    def give_anything(self, rows: list[int], owners: Sequence[int] | None) -> None:
        """Upstream checks: a row may have a holder already, or be none of this pool's.

        Raises:
            IndexError: a row beyond the table. As upstream, the rows are off the stack by now, and
                lost.
        """
        for row in rows:
            if not -self.size - 1 <= row <= self.size:
                raise IndexError(
                    f"index {row} is out of bounds for dimension 0 with size {self.size + 1}"
                )
        # One addition for all, as upstream: a row named twice grows once, -1 means the last.
        self.generation[rows] += np.uint32(1)
        named = () if owners is None else owners
        for at, row in enumerate(rows):
            ours = 1 <= row <= self.size
            self._more[row] += not ours or self.state[row] == HELD
            if ours:
                self.state[row] = HELD
                self.owner[row] = named[at] if at < len(named) else NOBODY
        self.held += len(rows)
        self.bumps_total += len(rows)

    def take_back_anything(self, rows: Sequence[int]) -> None:
        """Upstream checks: one holder of each row, if it has any, is gone."""
        for row in rows:
            if self._more[row]:
                self._more[row] -= 1
                self.held -= 1
            elif 1 <= row <= self.size:
                self.held -= int(self.state[row] == HELD)
                self.state[row], self.owner[row] = AVAILABLE, NOBODY

    def check_free(self, rows: Sequence[int]) -> None:
        """Refuse rows that cannot be freed.

        Raises:
            ForeignIndex: no row of this pool.
            DoubleFree: free already, or twice within this call.
        """
        for row in rows:
            if not 1 <= row <= self.size:
                message = f"row {row} is not in 1..{self.size}"
                raise ForeignIndex(message, row=int(row), num_rows=len(rows), size=self.size)
            if self.state[row] == AVAILABLE:
                message = f"row {row} is free already; {self.held} of {self.size} rows are held"
                raise DoubleFree(
                    message, row=int(row), num_rows=len(rows), held=self.held, size=self.size
                )
        if len(rows) > 1 and len(set(rows)) != len(rows):
            row = next(row for at, row in enumerate(rows) if row in rows[:at])
            message = f"row {row} is named twice in one free of {len(rows)} rows"
            raise DoubleFree(message, row=int(row), num_rows=len(rows), size=self.size)

    def disown(self, row: int) -> None:
        """A held row's request is gone without giving it back.

        Raises:
            ForeignIndex: the row is not held.
        """
        if not 1 <= row <= self.size or self.state[row] != HELD:
            raise ForeignIndex(f"row {row} is not held", row=row, size=self.size)
        self.state[row] = LEAKED
        self.held -= 1

    def clear(self) -> None:
        """Every row available; generations go on."""
        self.state[1:] = AVAILABLE
        self.owner.fill(NOBODY)
        self.held = 0
        self._more.clear()

    def audit(self, free: list[int]) -> None:
        """Compare states with the free stack and the count of held rows.

        Raises:
            IntegrityError: naming what differs.
        """
        books = {"free": len(free), "held": self.held}
        if len(set(free)) != len(free):
            raise IntegrityError("the free stack holds a row twice", **books)
        strangers = [row for row in free if not 1 <= row <= self.size]
        if strangers:
            message = f"row {strangers[0]} on the free stack is none of 1..{self.size}"
            raise IntegrityError(message, row=strangers[0], **books)
        taken = [row for row in free if self.state[row] != AVAILABLE]
        if taken:
            message = f"row {taken[0]} is on the free stack but is not available by state"
            raise IntegrityError(message, row=taken[0], **books)
        by_state = np.bincount(self.state[1:], minlength=RETIRED + 1).tolist()
        if (by_state[AVAILABLE], by_state[HELD]) != (len(free), self.held):
            raise IntegrityError(
                f"by state {by_state[AVAILABLE]} available and {by_state[HELD]} held, by the books "
                f"{len(free)} and {self.held}",
                available_by_state=by_state[AVAILABLE],
                held_by_state=by_state[HELD],
                **books,
            )

    def _enter(self, rows: int | NDArray[np.int64], owners: int | NDArray[np.int64]) -> None:
        self.state[rows], self.owner[rows] = HELD, owners
        self.generation[rows] += np.uint32(1)
