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
from pools.device import lazy_zeros
from pools.errors import InvalidSize
from pools.snapshot import Geometry, PoolSnapshot
from pools.structures.batch import check_owner
from pools.structures.occupancy import cell_geometry, free_edges, free_ranges
from pools.structures.row_book import RowBook
from pools.structures.tally import Tally


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
        self.req_to_token = lazy_zeros((size + 1, max_context_len), torch.int32, device)
        self._free = list(range(1, size + 1))
        self._book = RowBook(size)
        self._tally = Tally()

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "RequestSlots":
        """8 rows of 32 columns."""
        return cls(8, 32, checks=checks)

    @property
    def state(self) -> NDArray[np.uint8]:
        """Live states, shape (size,); cell i is row i + 1."""
        return self._book.state[1:]

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Live generations, shape (size,)."""
        return self._book.generation[1:]

    @property
    def owner(self) -> NDArray[np.int32]:
        """Live owners, shape (size,), -1 for none."""
        return self._book.owner[1:]

    def available_size(self) -> int:
        """Free rows."""
        return len(self._free)

    def free_rows(self) -> list[int]:
        """Free rows as the stack holds them, the next one last; a copy."""
        return list(self._free)

    def alloc(self, num_reqs: int, owners: Sequence[int] | None = None) -> list[int] | None:
        """Rows from the tail of the stack, in its order; None when fewer are free.

        Under upstream checks a negative number takes all but that many, as a slice does.

        Args:
            num_reqs: new requests.
            owners: request ids, one per row, for the page.

        Raises:
            InvalidSize: strict, a negative number, or not one owner per row; an owner outside
                int32.
        """
        with self._tally:
            for owner in () if owners is None else owners:
                check_owner(owner)
        if self.checks == "strict":
            self._check_alloc(num_reqs, owners)
        if num_reqs > len(self._free):
            self._tally.failed("no_rows")
            return None
        if num_reqs == 0:
            return []
        rows = self._free[-num_reqs:]
        del self._free[-num_reqs:]
        if self.checks == "strict":
            self._book.give(rows, owners)
        else:
            self._book.give_anything(rows, owners)
        self._tally.allocs += 1
        return rows

    def free(self, rows: Sequence[int]) -> None:
        """Give rows back.

        Raises:
            ForeignIndex, DoubleFree: strict checks; nothing is freed.
        """
        if len(rows) == 0:
            return
        if self.checks == "strict":
            with self._tally:
                self._book.check_free(rows)
            self._book.take_back(rows)
        else:
            self._book.take_back_anything(rows)
        self._free.extend(map(int, rows))
        self._tally.frees += 1

    def disown(self, row: int) -> None:
        """The row's request is gone without giving it back: the row is leaked.

        Raises:
            ForeignIndex: the row is not held.
        """
        with self._tally:
            self._book.disown(row)

    def residual(self) -> int:
        """Rows that neither the stack nor an owner accounts for."""
        return self.size - len(self._free) - self._book.held

    def audit(self) -> None:
        """Stack against states.

        Raises:
            IntegrityError: naming what differs.
        """
        with self._tally:
            self._book.audit(self._free)

    def clear(self) -> None:
        """All rows free in the first order; generations go on (monotonic by design)."""
        self._free = list(range(1, self.size + 1))
        self._book.clear()

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
            held=self._book.held,
            leaked=self.residual(),
            modelled_bytes=table.numel() * 4,
            allocated_bytes=table.numel() * 4,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={
                "row_columns": self.max_context_len,
                "generation_bumps_total": self._book.bumps_total,
                "generation_max": int(self.generation.max()),
            },
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per row."""
        return cell_geometry(self.state, self.generation, self.owner)

    def _check_alloc(self, num_reqs: int, owners: Sequence[int] | None) -> None:
        if num_reqs < 0:
            message = f"num_reqs {num_reqs} is negative"
        elif owners is not None and len(owners) != num_reqs:
            message = f"num_reqs {num_reqs} does not match {len(owners)} owners"
        else:
            return
        raise self._tally.raised(
            InvalidSize(message, num_reqs=num_reqs, available_size=len(self._free))
        )


POOL = RequestSlots
