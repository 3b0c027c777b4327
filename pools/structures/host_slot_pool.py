"""Host slots in pages, handed out first in first out; what the host kinds share.

    free_slots [ 8 9 10 11 | 12 … ]  ──take──►  held  ──free──►  release_slots [ 0 1 2 3 ] …
         ▲                                                             │
         └───────────────── merged when a call runs short ─────────────┘

Mirrors: sglang 0.5.23 mem_cache/memory_pool_host.py (LogicalHostPool) and
    mem_cache/pool_host/base.py (HostKVCache), which keep the same lists
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import InvalidSize, PoolError
from pools.snapshot import Geometry, PoolSnapshot
from pools.structures.free_list import FreeList
from pools.structures.occupancy import free_edges, free_ranges
from pools.structures.slot_book import SlotBook, SlotDamageBook
from pools.structures.tally import Tally

Ids = NDArray[np.int64]


class HostSlotPool:
    """Host ids 0 .. size - 1; cells of the geometry are pages."""

    KIND: ClassVar[str]
    generation: None = None
    owner: None = None

    def __init__(self, size: int, page_size: int, *, checks: Checks, name: str) -> None:
        """All slots free; the kind has looked at the sizes."""
        self.name, self.size, self.page_size = name, size, page_size
        self.checks: Checks = checks
        self._free = FreeList(0, size)
        #: free slots that upstream would not have to merge first
        self._merged = size
        self._book = (SlotBook if checks == "strict" else SlotDamageBook)(size, page_size)
        self.state = self._book.state
        self._tally = Tally()

    def available_size(self) -> int:
        """Free host tokens, released ones included."""
        return len(self._free)

    def free_slots(self) -> Ids:
        """Free host ids in the order of taking, int64, shape (available_size(),); a copy."""
        return self._free.to_array()

    def alloc(self, need_size: int) -> Ids | None:
        """Host ids, shape (need_size,); None when fewer are free.

        Under upstream checks a negative size takes all but that many, as a slice does.

        Raises:
            PoolError: need_size is no multiple of the page, with the kind's own text.
            InvalidSize: strict, a negative size.
        """
        if need_size % self.page_size:
            raise self._tally.raised(self._unaligned(need_size))
        if need_size < 0 and self.checks == "strict":
            raise self._tally.raised(
                InvalidSize(f"need_size {need_size} is negative", need_size=need_size)
            )
        if need_size < 0:
            need_size = max(self._merged + need_size, 0)
        ids = self._free.take(need_size)
        if ids is None:
            self._tally.failed("no_tokens")
            return None
        if need_size > self._merged:
            self._merged = len(self._free) + need_size
        self._merged -= need_size
        self._check_given(ids)
        self._book.give(ids)
        self._tally.allocs += 1
        return ids

    def free(self, indices: Ids) -> int:
        """Give slots back; how many.

        Raises:
            PoolError: as the kind says; nothing is freed.
        """
        ids = np.asarray(indices, np.int64)
        with self._tally:
            self._check_free(ids)
        if len(ids) == 0:
            return 0
        self._book.take_back(ids)
        self._free.append(ids)
        self._tally.frees += 1
        return len(ids)

    def residual(self) -> int:
        """Host tokens that neither the free list nor a holder accounts for."""
        return self.size - len(self._free) - self._book.held

    def audit(self) -> None:
        """Free list against the slots' own bits.

        Raises:
            IntegrityError: naming what differs.
        """
        with self._tally:
            self._book.audit(self.name, self._free.to_array())

    def clear(self) -> None:
        """Everything free in the first order."""
        self._free.reset()
        self._merged = self.size
        self._book.clear()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in host tokens."""
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="tokens",
            device="cpu",
            source=source,
            capacity=self.size,
            available=len(self._free),
            evictable=0,
            protected=0,
            held=self._book.held,
            leaked=self.residual(),
            page_size=self.page_size,
            modelled_bytes=self._nbytes(),
            allocated_bytes=self._nbytes(),
            free_ranges=free_ranges(free_edges(self.state), any_fits=True, unit=self.page_size),
            counters=self._tally.snapshot(),
            extra={"available_pages": len(self._free) // self.page_size, **self._extra()},
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per page: held while any of its slots is."""
        return Geometry(self.state.copy(), None, None, unit_per_cell=self.page_size)

    def _unaligned(self, need_size: int) -> PoolError:
        raise NotImplementedError

    def _check_given(self, ids: Ids) -> None:
        """Ids came off the free list."""

    def _check_free(self, ids: Ids) -> None:
        raise NotImplementedError

    def _nbytes(self) -> int:
        return 0

    def _extra(self) -> dict[str, int | float]:
        return {}
