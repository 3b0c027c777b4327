"""Rows of the request table: which token ids a request holds, position by position.

Mirrors: sglang 0.5.23 mem_cache/memory_pool.py (ReqToTokenPool)
Diverges: strict checks refuse a double free, a foreign row and a negative number; generations are
    numpy on the CPU
Owns: one int32 table of shape [size + 1, max_context_len] on `device`, row 0 padding.

Invariants:
    I1  available + held + leaked == size, from the free stack and from the owners' count.
    I2  a row is free or has one owner.
    I3  a row's generation only grows, across `clear` too.
    I4  a call that raises or returns None changes nothing.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import DoubleFree, ForeignIndex, IntegrityError, InvalidSize
from pools.snapshot import AVAILABLE, HELD, LEAKED, Geometry, PoolSnapshot
from pools.structures.occupancy import free_edges, free_ranges
from pools.structures.tally import Tally

NOBODY = -1


class RequestSlots:
    """Rows 1 .. size, last in first out; `size` rows are usable."""

    KIND: ClassVar[str] = "request_slots"

    def __init__(
        self,
        size: int,
        max_context_len: int,
        *,
        device: str = "cpu",
        checks: Checks = "strict",
        name: str = "request_slots",
    ) -> None:
        """Rows and their table; memory is touched only where it is written.

        Raises:
            InvalidSize: no rows or no columns.
        """
        if size < 1 or max_context_len < 1:
            raise InvalidSize(
                f"{name}: {size} rows of {max_context_len} columns",
                size=size,
                max_context_len=max_context_len,
            )
        self.name, self.size, self.max_context_len = name, size, max_context_len
        self.checks: Checks = checks
        self.req_to_token = torch.zeros(
            (size + 1, max_context_len), dtype=torch.int32, device=device
        )
        self._free = list(range(1, size + 1))
        self._held = 0
        self._state = np.full(size + 1, AVAILABLE, np.uint8)
        self.req_generation = np.zeros(size + 1, np.uint32)
        self._owner = np.full(size + 1, NOBODY, np.int32)
        self._tally = Tally()

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "RequestSlots":
        """8 rows of 32 columns."""
        return cls(8, 32, checks=checks)

    @property
    def state(self) -> NDArray[np.uint8]:
        """Live states, shape (size,); cell i is row i + 1."""
        return self._state[1:]

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Live generations, shape (size,)."""
        return self.req_generation[1:]

    @property
    def owner(self) -> NDArray[np.int32]:
        """Live owners, shape (size,), -1 for none."""
        return self._owner[1:]

    def available_size(self) -> int:
        """Free rows."""
        return len(self._free)

    def alloc(self, num_reqs: int, owners: Sequence[int] | None = None) -> list[int] | None:
        """Rows from the tail of the stack, in its order; None when fewer are free.

        Args:
            num_reqs: new requests.
            owners: request ids, one per row, for the page.

        Raises:
            InvalidSize: strict, a negative number.
        """
        if num_reqs < 0 and self.checks == "strict":
            raise self._tally.raised(InvalidSize(f"num_reqs {num_reqs} is negative"))
        if num_reqs > len(self._free):
            self._tally.failed("no_rows")
            return None
        if num_reqs <= 0:
            return []
        rows = self._free[-num_reqs:]
        del self._free[-num_reqs:]
        index = np.array(rows)
        known = index[(index >= 1) & (index <= self.size)]
        self._state[known] = HELD
        self.req_generation[known] += 1
        self._owner[known] = NOBODY if owners is None else np.asarray(owners)[: len(known)]
        self._held += num_reqs
        self._tally.allocs += 1
        return rows

    def free(self, rows: Sequence[int]) -> None:
        """Give rows back.

        Raises:
            ForeignIndex, DoubleFree: strict checks; nothing is freed.
        """
        if self.checks == "strict":
            self._check_free(rows)
        index = np.array([row for row in rows if 1 <= row <= self.size], dtype=np.int64)
        self._held -= int((self._state[index] == HELD).sum())
        self._state[index] = AVAILABLE
        self._owner[index] = NOBODY
        self._free.extend(rows)
        self._tally.frees += 1

    def disown(self, row: int) -> None:
        """The row's request is gone without giving it back: the row is leaked.

        Raises:
            ForeignIndex: the row is not held.
        """
        if not 1 <= row <= self.size or self._state[row] != HELD:
            raise self._tally.raised(ForeignIndex(f"row {row} is not held", row=row))
        self._state[row] = LEAKED
        self._held -= 1

    def residual(self) -> int:
        """Rows that neither the stack nor an owner accounts for."""
        return self.size - len(self._free) - self._held

    def audit(self) -> None:
        """Stack against states.

        Raises:
            IntegrityError: naming what differs.
        """
        if len(set(self._free)) != len(self._free):
            raise IntegrityError("the free stack holds a row twice", free=len(self._free))
        if not (self._state[self._free] == AVAILABLE).all():
            raise IntegrityError("a row on the free stack is not available by state")
        available, held = (int((self.state == state).sum()) for state in (AVAILABLE, HELD))
        if (available, held) != (len(self._free), self._held):
            raise IntegrityError(
                f"by state {available} available and {held} held, by the books "
                f"{len(self._free)} and {self._held}"
            )

    def clear(self) -> None:
        """All rows free in the first order; generations go on (monotonic by design)."""
        self._free = list(range(1, self.size + 1))
        self._held = 0
        self._state[:] = AVAILABLE
        self._owner[:] = NOBODY

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in slots."""
        table = self.req_to_token
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="slots",
            device=str(table.device),
            source=source,
            capacity=self.size,
            available=len(self._free),
            evictable=0,
            protected=0,
            held=self._held,
            leaked=self.residual(),
            modelled_bytes=table.numel() * 4,
            allocated_bytes=table.numel() * 4,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={"row_columns": self.max_context_len},
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per row."""
        return Geometry(
            state=self.state.copy(),
            generation=self.generation.copy(),
            owner=self.owner.copy(),
            unit_per_cell=1,
        )

    def _check_free(self, rows: Sequence[int]) -> None:
        for row in rows:
            if not 1 <= row <= self.size:
                raise self._tally.raised(
                    ForeignIndex(f"row {row} is not in 1..{self.size}", row=row)
                )
            if self._state[row] == AVAILABLE:
                raise self._tally.raised(DoubleFree(f"row {row} is free already", row=row))
        if len(set(rows)) != len(rows):
            raise self._tally.raised(DoubleFree("a row is named twice in one free"))


POOL = RequestSlots
