"""Index-only host pool: page-aligned host slots, no bytes of its own.

Mirrors: sglang 0.5.23 mem_cache/memory_pool_host.py (LogicalHostPool)
Diverges: strict checks refuse a double free, a foreign id, a negative size; a merge copies what
    was released, not what is free
Hands out: host token ids 0 .. size - 1, int64 on the CPU, first in first out; released slots wait
    in `release_slots` and are merged only when a call runs short. They count as available.

Invariants:
    I1  available + held == size.
    I2  a slot is free or handed out, never both.
    I3  alignment is tested before capacity.
    I4  a call that raises or returns None changes nothing.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import (
    DoubleFree,
    ForeignIndex,
    HostAllocUnaligned,
    HostFreeUnaligned,
    HostSizeUnaligned,
    IntegrityError,
    InvalidSize,
)
from pools.snapshot import AVAILABLE, HELD, Geometry, PoolSnapshot
from pools.structures.free_list import FreeList
from pools.structures.occupancy import free_edges, free_ranges
from pools.structures.page_runs import pages_of, repeated_id
from pools.structures.tally import Tally

Ids = NDArray[np.int64]


class HostLogical:
    """Host slots in pages; cells of the geometry are pages."""

    KIND: ClassVar[str] = "host_logical"
    generation: None = None
    owner: None = None

    def __init__(
        self, size: int, page_size: int, *, checks: Checks = "strict", name: str = "host_logical"
    ) -> None:
        """A pool of `size` host tokens.

        Raises:
            InvalidSize: nothing to hand out.
            HostSizeUnaligned: size is no multiple of the page.
        """
        if page_size < 1 or size < 1:
            raise InvalidSize(f"{name}: size {size}, page_size {page_size}", size=size)
        if size % page_size:
            raise HostSizeUnaligned(size, page_size)
        self.name, self.size, self.page_size = name, size, page_size
        self.checks: Checks = checks
        self._free = FreeList(0, size)
        #: free slots that upstream would not have to merge first
        self._merged = size
        self._held = 0
        self._slot_free = np.ones(size, np.bool_)
        self.state = np.full(size // page_size, AVAILABLE, np.uint8)
        self._offsets = np.arange(page_size)
        self._held_in_page = np.zeros(size // page_size, np.int32)
        self._tally = Tally()

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "HostLogical":
        """16 pages of 4 host tokens."""
        return cls(64, 4, checks=checks)

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
            HostAllocUnaligned: need_size is no multiple of the page.
            InvalidSize: strict, a negative size.
        """
        if need_size % self.page_size:
            raise self._tally.raised(HostAllocUnaligned(need_size, self.page_size))
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
        self._note(ids, taken=True)
        self._tally.allocs += 1
        return ids

    def free(self, indices: Ids) -> int:
        """Give slots back; how many.

        Raises:
            HostFreeUnaligned: their number is no multiple of the page.
            ForeignIndex, DoubleFree: strict checks; nothing is freed.
        """
        if len(indices) % self.page_size:
            raise self._tally.raised(HostFreeUnaligned(len(indices), self.page_size))
        if len(indices) == 0:
            return 0
        ids = np.asarray(indices, np.int64)
        if self.checks == "strict":
            self._check_free(ids)
        self._note(ids, taken=False)
        self._free.append(ids)
        self._tally.frees += 1
        return len(ids)

    def residual(self) -> int:
        """Host tokens that neither the free list nor a holder accounts for."""
        return self.size - len(self._free) - self._held

    def audit(self) -> None:
        """Free list against the slots' own bits.

        Raises:
            IntegrityError: naming what differs.
        """
        free = self._free.to_array()
        listed = np.zeros(self.size, np.bool_)
        listed[free[(free >= 0) & (free < self.size)]] = True
        if int(listed.sum()) != len(free):
            raise IntegrityError("the host free list holds a slot twice, or a foreign one")
        if not np.array_equal(listed, self._slot_free):
            raise IntegrityError("host slots free by bit and by list differ")

    def clear(self) -> None:
        """Everything free in the first order."""
        self._free.reset()
        self._merged = self.size
        self._held = 0
        self._slot_free[:] = True
        self._held_in_page[:] = 0
        self.state[:] = AVAILABLE

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
            held=self._held,
            leaked=self.residual(),
            page_size=self.page_size,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True, unit=self.page_size),
            counters=self._tally.snapshot(),
            extra={"available_pages": len(self._free) // self.page_size},
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per page: held while any of its slots is."""
        return Geometry(self.state.copy(), None, None, unit_per_cell=self.page_size)

    def _note(self, ids: Ids, *, taken: bool) -> None:
        pages = self._whole_pages(ids)
        if pages is not None:
            self._slot_free.reshape(-1, self.page_size)[pages] = not taken
            self._held += len(ids) if taken else -len(ids)
            self._held_in_page[pages] = self.page_size if taken else 0
            self.state[pages] = HELD if taken else AVAILABLE
            return
        known = ids[(ids >= 0) & (ids < self.size)]
        changes = known[self._slot_free[known] == taken]
        self._slot_free[changes] = not taken
        sign = 1 if taken else -1
        self._held += sign * (len(ids) if taken else len(changes))
        pages = changes // self.page_size
        np.add.at(self._held_in_page, pages, sign)
        self.state[pages] = np.where(self._held_in_page[pages] > 0, HELD, AVAILABLE)

    def _whole_pages(self, ids: Ids) -> Ids | None:
        """The pages of ids that come page after page, the usual case; None for any other.

        Strict checks have seen to it that the ids are distinct, known and all free or all held.
        """
        page = self.page_size
        if self.checks != "strict" or len(ids) % page:
            return None
        table = ids.reshape(-1, page)
        heads = table[:, 0]
        if (heads % page).any() or (table != heads[:, None] + self._offsets).any():
            return None
        return heads // page

    def _check_free(self, ids: Ids) -> None:
        if ids.min() < 0 or ids.max() >= self.size:
            raise self._tally.raised(
                ForeignIndex(f"host slots {ids.min()}..{ids.max()} are not in 0..{self.size - 1}")
            )
        _, each_once = pages_of(ids, self.page_size)
        twice = not each_once and repeated_id(ids) is not None
        if twice or self._slot_free[ids].any():
            raise self._tally.raised(DoubleFree("a host slot is free already, or named twice"))


POOL = HostLogical
