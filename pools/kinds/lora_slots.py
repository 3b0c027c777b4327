"""Adapter slots: the low-rank weights that a batch needs on the device, one slot per adapter.

    load("sql", rank 8, pinned)        host ──► known
    prepare_batch({None, "sql"})       known ──► slot 0: base model (zeros)  slot 1: sql
    a batch of others                  least recently used, not pinned ──► out

Mirrors: sglang 0.5.23 lora/mem_pool.py (LoRAMemoryPool), lora/lora_manager.py
    (validate_new_adapter, validate_lora_batch)
Diverges: strict checks find a slot for the whole batch before one is changed; upstream loads as it
    goes and keeps what it loaded when it raises
Hands out: slots 0 .. max_loras_per_batch - 1, the lowest empty one first. The base model counts as
    one; an adapter makes room before it does.

Invariants:
    I1  available + held + protected + evictable == slots: empty, in the batch, pinned, the rest.
    I2  an adapter is in one slot at most, and a slot holds exactly its weights.
    I3  pinned adapters are at most slots - 1, and never make room.
    I4  strict: a call that raises changes nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import DoubleFree, ForeignIndex, InvalidSize, MemoryCorrupted
from pools.side_errors import LoraNoBufferSlot, LoraPinWouldStarve, LoraRankIncompatible
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, PROTECTED, Geometry, PoolSnapshot
from pools.structures.audit import compare
from pools.structures.lora_buffers import LoraBuffers, Weights, normalized
from pools.structures.lora_residents import Name, Residents, in_order
from pools.structures.occupancy import cell_geometry, free_edges, free_ranges
from pools.structures.tally import Tally

EVICTION_POLICIES = ("lru", "fifo")


@dataclass(frozen=True, slots=True)
class Adapter:
    """What the host knows of an adapter."""

    weights: Weights
    pinned: bool


class LoraSlots:
    """Slots over real buffers; adapters are known by name, the base model as None."""

    KIND: ClassVar[str] = "lora_slots"

    def __init__(
        self,
        buffers: LoraBuffers,
        *,
        eviction_policy: str = "lru",
        checks: Checks = "strict",
        name: str = "lora_slots",
    ) -> None:
        """Every slot empty; raises InvalidSize for an eviction policy that is not there."""
        if eviction_policy not in EVICTION_POLICIES:
            raise InvalidSize(f"LoRA eviction policy {eviction_policy!r}: use lru or fifo")
        self.name, self.buffers, self.size = name, buffers, buffers.slots
        self.checks: Checks = checks
        self.adapters: dict[str, Adapter] = {}
        self.residents = Residents(self.size, eviction_policy == "lru")
        self.state = np.full(self.size, AVAILABLE, np.uint8)
        self.generation: NDArray[np.uint32] = np.zeros(self.size, np.uint32)
        self.owner: NDArray[np.int32] = np.full(self.size, -1, np.int32)
        self._batch: set[Name] = set()
        self._tally = Tally()
        self.evicted_total = 0

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "LoraSlots":
        """4 slots of rank 8 over two modules."""
        return cls(LoraBuffers(4, 8), checks=checks)

    @property
    def num_pinned(self) -> int:
        """Known adapters that never make room."""
        return sum(one.pinned for one in self.adapters.values())

    def available_size(self) -> int:
        """Empty slots."""
        return self.size - len(self.residents.slot_of)

    def can_support(self, rank: int, target_modules: Collection[str]) -> bool:
        """Whether slots have the rank and the modules; "all" stands for those there are."""
        modules = normalized(tuple(target_modules))
        fits = "all" in modules or modules <= self.buffers.modules.keys()
        return 0 < rank <= self.buffers.max_rank and fits

    def load(self, name: str, weights: Weights, *, pinned: bool = False) -> None:
        """Make an adapter known; it takes a slot when a batch needs it.

        Raises:
            DoubleFree: the name is known already.
            LoraRankIncompatible: rank or modules do not fit the slots.
            LoraPinWouldStarve: pinned, and only one slot would be left to change.
            InvalidSize: weights of other shapes than rank and modules say.
        """
        with self._tally:
            if name in self.adapters:
                text = f"Failed to load LoRA adapter {name} because it is already loaded"
                raise DoubleFree(text, lora_name=name)
            if not self.can_support(weights.rank, [*weights.a, *weights.b]):
                raise LoraRankIncompatible(name, weights.rank, self.buffers.max_rank)
            if pinned and self.num_pinned >= self.size - 1:
                raise LoraPinWouldStarve(name, self.num_pinned, self.size)
            self.buffers.check(weights)
        self.adapters[name] = Adapter(weights, pinned)

    def unload(self, name: str) -> None:
        """Forget an adapter; its slot is empty and zeroed.

        Raises:
            ForeignIndex: no such adapter, or the running batch needs it.
        """
        with self._tally:
            self._check_known([name])
            if name in self._batch:
                raise ForeignIndex(f"adapter {name} is in the running batch", lora_name=name)
        del self.adapters[name]
        if name in self.residents.slot_of:
            self.buffers.load(self.residents.leave(name), None)
            self._tally.frees += 1
        self._paint()

    def validate_batch(self, names: Collection[Name]) -> bool:
        """Admission's own count: whether slots suffice beside those of other pinned adapters."""
        pinned = {name for name in names if name is not None and self.adapters[name].pinned}
        wanted = len(set(names))
        return wanted <= self.size and wanted - len(pinned) <= self.size - self.num_pinned

    def prepare_batch(self, names: Collection[Name]) -> Mapping[Name, int]:
        """Slots for all adapters of the next batch, None for requests without one.

        Raises:
            ForeignIndex: an adapter that is not known.
            LoraNoBufferSlot: every other slot is pinned or of this batch. Under upstream checks
                those before it in name order are loaded by then.
        """
        with self._tally:
            self._check_known([name for name in names if name is not None])
            plan = self.residents.copy() if self.checks == "strict" else self.residents
            loads = self._planned(plan, in_order(names))
        if self.checks == "strict":
            self.residents = plan
            for name, slot in loads:
                self._fill(name, slot)
        self._batch = set(names)
        self._paint()
        return {name: self.residents.slot_of[name] for name in in_order(names)}

    def residual(self) -> int:
        """Slots that an adapter has but no state shows, by two books."""
        return len(self.residents.slot_of) - int(np.count_nonzero(self.state != AVAILABLE))

    def audit(self) -> None:
        """Residents, states and every byte of every slot.

        Raises:
            IntegrityError: naming what differs; MemoryCorrupted where it is a slot's weights.
        """
        slots = list(self.residents.slot_of.values())
        taken = np.flatnonzero(self.state != AVAILABLE).tolist()
        books = {"slots, each once": (len(set(slots)), len(slots)), "taken": (sorted(slots), taken)}
        with self._tally:
            compare(self.name, books)
            for name, slot in self.residents.slot_of.items():
                if not self.buffers.equal(slot, self._weights(name)):
                    text = f"slot {slot} does not hold the weights of {name or 'the base model'}"
                    raise MemoryCorrupted(text, slot=slot)

    def clear(self) -> None:
        """Every slot empty; adapters stay known, generations go on."""
        self.residents = Residents(self.size, self.residents.lru)
        self._batch = set()
        self._paint()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in slots."""
        by_state = np.bincount(self.state, minlength=EVICTABLE + 1).tolist()
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="slots",
            device=self.buffers.device,
            source=source,
            capacity=self.size,
            available=self.available_size(),
            evictable=by_state[EVICTABLE],
            protected=by_state[PROTECTED],
            held=by_state[HELD],
            leaked=self.residual(),
            modelled_bytes=self.buffers.nbytes,
            allocated_bytes=self.buffers.nbytes,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={"known_adapters": len(self.adapters), "evicted_slots_total": self.evicted_total},
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per slot."""
        return cell_geometry(self.state, self.generation, self.owner)

    def _planned(self, plan: Residents, names: list[Name]) -> list[tuple[Name, int]]:
        pinned = {name for name, one in self.adapters.items() if one.pinned}
        loads = []
        for name in names:
            plan.mark_used(name)
        for name in (one for one in names if one not in plan.slot_of):
            slot = plan.room_for(names, pinned)
            if slot is None:
                raise LoraNoBufferSlot(self.size, len(names), len(pinned))
            plan.slot_of[name] = slot
            loads.append((name, slot))
            if self.checks != "strict":
                self._fill(name, slot)
        return loads

    def _fill(self, name: Name, slot: int) -> None:
        self.evicted_total += int(self.state[slot] != AVAILABLE)
        self.buffers.load(slot, self._weights(name))
        self.generation[slot] += np.uint32(1)
        self.state[slot] = HELD
        self._tally.allocs += 1

    def _weights(self, name: Name) -> Weights | None:
        return self.adapters[name].weights if name is not None else None

    def _paint(self) -> None:
        self.state[:] = AVAILABLE
        for name, slot in self.residents.slot_of.items():
            pinned = name is not None and self.adapters[name].pinned
            idle = PROTECTED if pinned else EVICTABLE
            self.state[slot] = HELD if name in self._batch else idle

    def _check_known(self, names: Collection[str]) -> None:
        for name in names:
            if name not in self.adapters:
                raise ForeignIndex(f"adapter {name} is not loaded", lora_name=name)


POOL = LoraSlots
