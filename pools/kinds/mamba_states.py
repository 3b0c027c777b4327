"""State slots of a hybrid model: one recurrent state per request, and those that are cached.

Mirrors: sglang 0.5.23 mem_cache/allocator/mamba.py (MambaSlotAllocator) over
    mem_cache/memory_pool.py (MambaPool); the cached states stand for the Mamba component of the
    prefix tree (mem_cache/unified_cache/components/mamba.py): least recently used first
Diverges: strict checks refuse a double free, a foreign slot and a negative number; a state that
    differs from its stamp is found when it is given back
Hands out: slots 1 .. size, int64 on the CPU, first in first out; slot 0 is the padding target.
Rows beside the slots: `pools.structures.hybrid_requests`.

    request      row ──► token ids of the full-attention layers
                 slot ──► [conv | temporal] per linear layer      keep ──► cached ──► evict ──► free

Invariants:
    I1  available + held + evictable + protected + leaked == size, each from its own book.
    I2  a slot is free, or has one owner, or is cached.
    I3  a slot's generation only grows, across `clear` too.
    I4  a call that raises or returns None changes nothing.
    I5  a copied state equals its source, but for the stamp.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.snapshot import Geometry, PoolSnapshot
from pools.structures.occupancy import cell_geometry, free_edges, free_ranges
from pools.structures.state_buffers import StateBuffers
from pools.structures.state_slots import StateSlots


class MambaStates(StateSlots):
    """The slots as a pool: its accounts, its audit, and what can be seen of it."""

    KIND: ClassVar[str] = "mamba_states"

    def __init__(
        self,
        size: int,
        *,
        buffers: StateBuffers | None = None,
        checks: Checks = "strict",
        name: str = "mamba_states",
    ) -> None:
        """All slots free.

        Args:
            size: slots.
            buffers: memory of at least size + 1 slots; None: book-keeping alone.
            checks: "strict" or "upstream".
            name: what the page calls the pool.

        Raises:
            InvalidSize: no slots, or buffers that are too small.
        """
        super().__init__(size, buffers=buffers, checks=checks, name=name)

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "MambaStates":
        """12 slots with real states."""
        return cls(12, buffers=StateBuffers(13), checks=checks)

    # Cells as the probe compares them; cell i is slot i + 1.
    @property
    def state(self) -> NDArray[np.uint8]:
        """Live states, shape (size,)."""
        return self._book.state[1:]

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Live generations, shape (size,)."""
        return self._book.generation[1:]

    @property
    def owner(self) -> NDArray[np.int32]:
        """Live owners, shape (size,), -1 for none: free, or cached."""
        return self._book.owner[1:]

    def residual(self) -> int:
        """Slots that no book accounts for; negative when owned twice."""
        cached = self._cache.evictable + self._cache.protected
        return self.size - len(self._free) - cached - self._book.held

    def audit(self) -> None:
        """Every book against every other.

        Raises:
            IntegrityError: naming what differs.
        """
        with self._tally:
            books = self._cache.evictable, self._cache.protected
            self._book.audit(self._free.to_array(), *books)

    def clear(self) -> None:
        """Everything free in the first order, nothing cached; generations go on."""
        self._free.reset()
        self._book.clear()
        self._cache.clear()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in slots."""
        nbytes = self.buffers.nbytes if self.buffers is not None else 0
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="slots",
            device=self.buffers.device if self.buffers is not None else "cpu",
            source=source,
            capacity=self.size,
            available=len(self._free),
            evictable=self._cache.evictable,
            protected=self._cache.protected,
            held=self._book.held,
            leaked=self.residual(),
            modelled_bytes=nbytes,
            allocated_bytes=nbytes,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={
                "evicted_slots_total": self.evicted_total,
                "generation_bumps_total": self._book.bumps_total,
                "bytes_per_slot": self.buffers.bytes_per_slot if self.buffers is not None else 0,
            },
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per slot."""
        return cell_geometry(self.state, self.generation, self.owner)


POOL = MambaStates
