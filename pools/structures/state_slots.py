"""State slots: handed out, cached, evicted and copied. `pools.kinds.mamba_states` shows them.

Invariants I1 .. I5 are those of the kind.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import ForeignIndex, InvalidSize
from pools.snapshot import EVICTABLE, PROTECTED
from pools.structures.batch import check_owner
from pools.structures.damage_book import DamageBook
from pools.structures.free_list import FreeList
from pools.structures.state_buffers import StateBuffers
from pools.structures.state_cache import StateCache
from pools.structures.state_stamps import StateStamps
from pools.structures.tally import Tally
from pools.structures.unit_book import UnitBook

Ids = NDArray[np.int64]


class StateSlots:
    """Slots 1 .. size over real state tensors, or book-keeping alone."""

    def __init__(
        self,
        size: int,
        *,
        buffers: StateBuffers | None,
        checks: Checks,
        name: str,
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
        if size < 1 or (buffers is not None and buffers.slots <= size):
            found = buffers.slots if buffers is not None else 0
            text = f"{name}: {size} slots over buffers of {found}; give one more for padding"
            raise InvalidSize(text, size=size, buffer_slots=found)
        self.name, self.size, self.buffers = name, size, buffers
        self.checks: Checks = checks
        self._free = FreeList(1, size)
        self._book = (UnitBook if checks == "strict" else DamageBook)(size, "state slot")
        self._cache = StateCache()
        self._stamps = StateStamps(size, buffers)
        self._tally = Tally()
        self.evicted_total = 0

    def available_size(self) -> int:
        """Free slots."""
        return len(self._free)

    def evictable_size(self) -> int:
        """Cached slots that nobody uses."""
        return self._cache.evictable

    def alloc(self, need_size: int, owner: int) -> Ids | None:
        """Slots, int64 (need_size,), from the head of the list; None when fewer are free.

        Under upstream checks a negative number takes all but that many, as a slice does.

        Raises:
            InvalidSize: strict, a negative number; an owner outside int32.
        """
        with self._tally:
            check_owner(owner)
            if need_size < 0 and self.checks == "strict":
                text = f"need_size {need_size} is negative"
                raise InvalidSize(text, need_size=need_size, available_size=len(self._free))
        count = need_size if need_size >= 0 else max(len(self._free) + need_size, 0)
        slots = self._free.take(count)
        if slots is None:
            self._tally.failed("no_slots")
            return None
        self._book.give(slots, owner)
        self._stamps.write(slots, owner, self._book.generation)
        self._tally.allocs += 1
        return slots

    def free(self, slots: Ids | Sequence[int]) -> None:
        """Give slots back that requests hold.

        Raises:
            DoubleFree, ForeignIndex: strict, a slot that is free, cached or none; nothing is freed.
            MemoryCorrupted: strict, a state has been overwritten; nothing is freed.
        """
        ids = np.asarray(slots, np.int64)
        if ids.size == 0:
            return
        with self._tally:
            owners = self._book.check_free(ids)
            if self.checks == "strict":
                self._refuse_cached(ids)
                self._stamps.check(ids)
        self._book.take_back(ids, owners)
        self._free.append(ids)
        self._tally.frees += 1

    def keep(self, slots: Ids | Sequence[int]) -> None:
        """The prefix cache takes slots over from the requests that hold them.

        Raises:
            ForeignIndex, DoubleFree: strict, a slot that nobody holds or that is named twice.
        """
        ids = np.asarray(slots, np.int64)
        with self._tally:
            self._book.adopt(ids, EVICTABLE)
        self._cache.add(ids.tolist())

    def lock(self, slot: int) -> None:
        """Someone uses a cached state: it cannot be evicted.

        Raises:
            ForeignIndex: the slot is not cached.
        """
        with self._tally:
            if self._cache.lock(slot):
                self._book.mark(np.array([slot]), PROTECTED)

    def unlock(self, slot: int) -> None:
        """Undo one `lock`; counts as a use.

        Raises:
            ForeignIndex: the slot is not locked.
        """
        with self._tally:
            if self._cache.unlock(slot):
                self._book.mark(np.array([slot]), EVICTABLE)

    def evict(self, num_slots: int) -> int:
        """Free up to `num_slots` cached states, the least recently used first; how many.

        Raises:
            MemoryCorrupted: strict, one of them has been overwritten; nothing is evicted.
        """
        victims = self._cache.oldest(max(num_slots, 0))
        if victims:
            ids = np.array(victims, np.int64)
            if self.checks == "strict":
                with self._tally:
                    self._stamps.check(ids)
            self._cache.drop(victims)
            self._book.take_back(ids, np.empty(0, np.int32))
            self._free.append(ids)
            self.evicted_total += len(victims)
        return len(victims)

    def copy_state(self, source: int, target: int) -> None:
        """Copy a cached or held state into a held slot: copy on write of a shared prefix.

        Raises:
            ForeignIndex: strict, a slot that is none, or a target that nobody holds.
        """
        if self.checks == "strict":
            with self._tally:
                owner = int(self._book.owner[target]) if 1 <= target <= self.size else -1
                self._book.check_held(np.array([target]), np.array([owner]))
                if not 1 <= source <= self.size:
                    text = f"state slot {source} is not in 1..{self.size}"
                    raise ForeignIndex(text, slot=source)
        self._stamps.copy(source, target)

    def _refuse_cached(self, ids: Ids) -> None:
        cached = self._book.state[ids] == EVICTABLE
        if cached.any():
            slot = int(ids[cached][0])
            raise ForeignIndex(f"state slot {slot} is cached: evict it instead", slot=slot)
