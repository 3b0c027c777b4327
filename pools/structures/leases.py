"""Leases by slot: which slot is handed out next, how often each was, and what is out now.

Free slots are a stack, lowest first on a fresh pool and the most recently released afterwards. So
on a quiet server one slot does nearly all the work, and its generation runs ahead of the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import AVAILABLE, HELD, LEAKED, RETIRED, Leases
from pools.structures.audit import compare


class Lease(NamedTuple):
    """A range of the buffer, handed out once.

    `start` and `end` are byte offsets in the buffer, a multiple of the alignment apart; `nbytes`
    of them were asked for. (slot, generation) names the lease for ever.
    """

    start: int
    end: int
    nbytes: int
    slot: int
    generation: int
    owner: int
    leased_at_s: float


class LeaseBook:
    """Slots, their generations, and the leases that hold them.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py (_available_slots,
    _slot_generations, _occupied).

    Attributes:
        state: uint8 (num_slots,), codes of pools.snapshot.
        generation: uint32 (num_slots,), leases of the slot so far.
        owner: int32 (num_slots,), -1 where no lease is.
        start, end: int64 (num_slots,), byte offsets of the slot's last lease.
        occupied: lease by slot, in the order of leasing.
        held_bytes: sum over leases of end - start.
        waste_bytes: part of it that alignment added.
        retired_slots: slots released at the limit.
    """

    def __init__(self, num_slots: int, limit: int, *, retire: bool) -> None:
        """All slots free at generation 0.

        Args:
            num_slots: how many slots.
            limit: highest generation that a lease may carry.
            retire: take slots at the limit out of use; without, the stack keeps offering them.
        """
        self.num_slots, self.limit, self._retire = num_slots, limit, retire
        self.generation = np.zeros(num_slots, np.uint32)
        self.state = np.full(num_slots, AVAILABLE, np.uint8)
        self.owner = np.full(num_slots, -1, np.int32)
        self.start = np.zeros(num_slots, np.int64)
        self.end = np.zeros(num_slots, np.int64)
        self._serial = np.zeros(num_slots, np.int64)
        self._opened = 0
        # One element through a memoryview costs half of one through numpy indexing.
        arrays = (self.generation, self.state, self.owner, self.start, self.end, self._serial)
        self._cells = tuple(array.data for array in arrays)
        self.occupied: dict[int, Lease] = {}
        self.held_bytes = self.waste_bytes = 0
        self.retired_slots = self.lost_slots = self._leased_at_limit = 0
        self._stack = list(range(num_slots - 1, -1, -1))
        self._worn: list[int] = []

    @property
    def usable_slots(self) -> int:
        """Free slots that a lease may take now."""
        return len(self._stack)

    @property
    def worn_slot(self) -> int | None:
        """A slot at the limit that makes the pool exhausted; None while waiting can help."""
        if self._worn:
            return self._worn[-1]
        if self.retired_slots and self.retired_slots + self._leased_at_limit == self.num_slots:
            return int(np.flatnonzero(self.state == RETIRED)[-1])
        return None

    @property
    def can_open(self) -> bool:
        """Whether the slot on top of the stack is there and below the limit."""
        stack = self._stack
        return bool(stack) and (self._retire or int(self.generation[stack[-1]]) < self.limit)

    def open(self, start: int, end: int, nbytes: int, owner: int, now_s: float) -> Lease:
        """Lease [start, end) on the next slot; the caller has seen that there is one."""
        slot = self._stack.pop()
        generations, states, owners, starts, ends, serials = self._cells
        generation = generations[slot] + 1
        lease = Lease(start, end, nbytes, slot, generation, owner, now_s)
        generations[slot] = generation
        states[slot] = HELD
        owners[slot] = owner
        starts[slot] = start
        ends[slot] = end
        serials[slot] = self._opened
        self._opened += 1
        self.occupied[slot] = lease
        if generation >= self.limit:
            self._leased_at_limit += 1
        self.held_bytes += end - start
        self.waste_bytes += end - start - nbytes
        return lease

    def is_active(self, lease: Lease) -> bool:
        """Whether this very lease still holds its slot."""
        return self.occupied.get(lease.slot) == lease

    def close(self, lease: Lease) -> None:
        """Free the slot of an active lease, or retire it at the limit."""
        slot = lease.slot
        _, states, owners, *_ = self._cells
        del self.occupied[slot]
        taken = lease.end - lease.start
        self.held_bytes -= taken
        self.waste_bytes -= taken - lease.nbytes
        owners[slot] = -1
        at_limit = lease.generation >= self.limit
        if at_limit:
            self._leased_at_limit -= 1
        if at_limit and self._retire:
            states[slot] = RETIRED
            self.retired_slots += 1
        else:
            states[slot] = AVAILABLE
            self._stack.append(slot)

    def close_many(self, slots: NDArray[np.int64]) -> list[Lease]:
        """Free the leased `slots`, in the order of leasing, which is also returned."""
        slots = slots[self._serial[slots].argsort()]
        leases = [self.occupied.pop(slot) for slot in slots.tolist()]
        taken = int((self.end[slots] - self.start[slots]).sum())
        self.held_bytes -= taken
        self.waste_bytes -= taken - sum(lease.nbytes for lease in leases)
        self.owner[slots] = -1
        worn = self.generation[slots] >= self.limit
        self._leased_at_limit -= int(worn.sum())
        if self._retire:
            self.state[slots] = np.where(worn, RETIRED, AVAILABLE)
            self.retired_slots += int(worn.sum())
            slots = slots[~worn]
        else:
            self.state[slots] = AVAILABLE
        self._stack += slots.tolist()
        return leases

    def lose_next(self) -> int:
        """Take the next slot off the stack for good, as upstream does when it raises."""
        slot = self._stack.pop()
        self.state[slot] = LEAKED
        self.lost_slots += 1
        return slot

    def set_generations(self, slots: NDArray[np.int64], value: int) -> None:
        """Set the count of free `slots`; those at the limit are set aside as worn. O(num_slots)."""
        self.generation[slots] = value
        free = self._worn + self._stack
        if not self._retire:
            return
        self._worn = [slot for slot in free if self.generation[slot] >= self.limit]
        self._stack = [slot for slot in free if self.generation[slot] < self.limit]

    def free_slots(self) -> list[int]:
        """Free slots, worn ones included, in the order of the stack (last is next)."""
        return self._worn + self._stack

    def leased_slots(self) -> NDArray[np.int64]:
        """Slots under lease, int64, ascending."""
        return np.flatnonzero(self.state == HELD)

    def clear(self) -> None:
        """All leases gone and all slots free, but for retired ones; generations go on."""
        self.occupied.clear()
        self.held_bytes = self.waste_bytes = 0
        self.lost_slots = self._leased_at_limit = 0
        self.owner.fill(-1)
        if self._retire:
            at_limit = self.generation >= self.limit
            self.state[:] = np.where(at_limit, RETIRED, AVAILABLE)
            self.retired_slots = int(at_limit.sum())
        else:
            self.state.fill(AVAILABLE)
        self._worn = []
        self._stack = np.flatnonzero(self.state == AVAILABLE)[::-1].tolist()

    def describe(self, acks_missing: NDArray[np.bool_], now_s: float) -> Leases:
        """Count, oldest age and what each consumer owes.

        Args:
            acks_missing: shape (len(occupied), consumers).
            now_s: seconds of the engine's clock.
        """
        oldest = next(iter(self.occupied.values()), None)
        return Leases(
            count=len(self.occupied),
            oldest_age_s=0.0 if oldest is None else max(0.0, now_s - oldest.leased_at_s),
            outstanding=tuple(acks_missing.sum(axis=0).tolist()),
        )

    def rows(
        self, slots: NDArray[np.int64], acks_missing: NDArray[np.bool_], begin: int
    ) -> NDArray[np.int64]:
        """Leases of `slots` as (slot, start, end, generation, acks missing), int64 (n, 5).

        Args:
            slots: leased slots, shape (n,).
            acks_missing: shape (n, consumers).
            begin: byte offset that rows call 0.
        """
        rows = np.empty((len(slots), 5), np.int64)
        rows[:, 0] = slots
        rows[:, 1] = self.start[slots] - begin
        rows[:, 2] = self.end[slots] - begin
        rows[:, 3] = self.generation[slots]
        rows[:, 4] = acks_missing.sum(axis=1)
        return rows

    def audit(self) -> None:
        """Compare stack, leases, states and sums. O(num_slots).

        Raises:
            IntegrityError: naming what differs.
        """
        free = self.free_slots()
        leases = list(self.occupied.values())
        states = np.bincount(self.state, minlength=RETIRED + 1)
        names = [(slot, int(self.generation[slot])) for slot in self.occupied]
        books = {
            "names": (names, [(lease.slot, lease.generation) for lease in leases]),
            "free states": (int((self.state[free] != AVAILABLE).sum()), 0),
            "free slots": (len(free), int(states[AVAILABLE])),
            "free slots, each once": (len(set(free)), len(free)),
            "leased slots": (len(leases), int(states[HELD])),
            "lost slots": (self.lost_slots, int(states[LEAKED])),
            "retired slots": (self.retired_slots, int(states[RETIRED])),
            "held bytes": (self.held_bytes, sum(x.end - x.start for x in leases)),
            "alignment waste": (self.waste_bytes, sum(x.end - x.start - x.nbytes for x in leases)),
        }
        compare("leases", books)
