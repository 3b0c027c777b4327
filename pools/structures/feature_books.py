"""The books of the feature pool: free bytes, slots and generations, without the memory itself."""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import (
    ForeignIndex,
    InvalidSize,
    MmGenerationExhausted,
    MmLeaseCancelInactive,
    MmLeaseInactive,
    PoolError,
)
from pools.snapshot import AVAILABLE
from pools.structures.audit import compare
from pools.structures.feature_layout import align_up
from pools.structures.first_fit_space import FirstFitSpace
from pools.structures.free_ranges import FreeSpace
from pools.structures.leases import Lease, LeaseBook
from pools.structures.tally import Tally
from pools.structures.wear import Wear

GENERATION_LIMIT = 0x7FFFFFFF
MAX_OWNER = 0x7FFFFFFF


class FeatureBooks:
    """Leases over an address space: a range, a slot and a generation each.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py (_allocate_locked, _release_locked).

    Attributes:
        space: free ranges.
        book: slots and leases; `state`, `generation` and `owner` are its arrays.
        wear: how fast generations grow.
        last_failure: reason of the last lease that was None: no_bytes (less is free in all),
            no_hole (enough is free, in pieces), unmerged (a merge would make it fit), alignment
            (fits but for the rounding), no_slot.
    """

    def __init__(
        self,
        space: FreeSpace | FirstFitSpace,
        *,
        num_slots: int,
        limit: int,
        checks: Checks,
        transport_name: str,
    ) -> None:
        """Everything free in `space`.

        Raises:
            InvalidSize: the generation limit does not fit 31 bits, or is zero or less.
        """
        if not 0 < limit <= GENERATION_LIMIT:
            raise InvalidSize(
                f"generation_limit must be from 1 to {GENERATION_LIMIT}, as control words carry "
                f"31 bits; got {limit}",
                generation_limit=limit,
            )
        self.checks, self.transport_name = checks, transport_name
        self.capacity = space.end - space.begin
        self.space = space
        self.book = LeaseBook(num_slots, limit, retire=checks == "strict")
        self.state, self.owner = self.book.state, self.book.owner
        self.generation: NDArray[np.uint32] = self.book.generation
        self.wear = Wear()
        self.tally = Tally()
        self.last_failure: str | None = None

    def lease(self, nbytes: int, now_s: float, owner: int = -1) -> Lease | None:
        """Reserve a range, a slot and the slot's next generation. O(log ranges).

        Args:
            nbytes: bytes wanted, at least 1; a multiple of 256 is taken.
            now_s: seconds of the engine's clock.
            owner: who asked, for the map.

        Returns:
            The lease; None when nothing fits or no slot is free (see `last_failure`).

        Raises:
            InvalidSize: nbytes is zero or less, or owner does not fit.
            MmGenerationExhausted: no free slot is below the limit. Under strict checks nothing has
                changed; under upstream checks the range and the slot are lost.
        """
        if nbytes <= 0:
            text = f"a lease needs at least 1 byte, got nbytes={nbytes}"
            self._refuse(InvalidSize(text, nbytes=nbytes))
        if not -1 <= owner <= MAX_OWNER:
            self._refuse(InvalidSize(f"owner={owner} is not -1 .. {MAX_OWNER}", owner=owner))
        size = align_up(nbytes)
        if not self.book.can_open:
            return self._without_slot(nbytes, size)
        start = self.space.take(size)
        if start is None:
            return self._not_now(self._why_no_range(nbytes, size))
        lease = self.book.open(start, start + size, nbytes, owner, now_s)
        self.wear.note(lease.generation, now_s)
        self.tally.allocs += 1
        return lease

    def release(self, lease: Lease) -> None:
        """Free a lease at once, acknowledged or not; its range waits for the next merge.

        Raises:
            MmLeaseInactive: the lease does not hold its slot any more, in both modes of checks.
        """
        self._check_active(lease)
        self._close(lease)

    def set_generation(self, slot: int, value: int) -> None:
        """Set the generation of one free slot, for faults and tests.

        Raises:
            ForeignIndex: there is no such slot, or a lease holds it.
            InvalidSize: the value is outside 0 .. limit.
        """
        if not 0 <= slot < self.book.num_slots or self.state[slot] != AVAILABLE:
            text = f"slot {slot} is not a free slot of 0 .. {self.book.num_slots - 1}"
            self._refuse(ForeignIndex(text, slot=slot))
        self._set_generations(np.array([slot]), value)

    def set_generations(self, value: int) -> None:
        """Set the generation of all free slots, for faults and tests.

        Raises:
            InvalidSize: the value is outside 0 .. limit.
        """
        self._set_generations(np.flatnonzero(self.state == AVAILABLE), value)

    def clear(self) -> None:
        """All bytes and slots free, but for retired slots; generations go on."""
        self.space.clear()
        self.book.clear()

    def residual(self) -> int:
        """Bytes that neither the free ranges nor the leases account for; 0 when conserved."""
        return self.capacity - self.space.total - self.book.held_bytes

    def extra(self) -> dict[str, int | float]:
        """Figures of this kind only; `slow_path_total` counts leases that were None."""
        return {
            "num_slots": self.book.num_slots,
            "usable_slots": self.book.usable_slots,
            "retired_slots": self.book.retired_slots,
            "lost_slots": self.book.lost_slots,
            "alignment_waste_bytes": self.book.waste_bytes,
            "control_bytes": self.space.begin,
            "unmerged_seams": self.space.seams,
            "slow_path_total": sum(self.tally.snapshot().failures_total.values()),
        }

    def audit(self) -> None:
        """Compare ranges, leases and slots with one another. O(ranges + slots).

        Raises:
            IntegrityError: naming what differs.
        """
        self.space.audit()
        self.book.audit()
        leases = [(lease.start, lease.end) for lease in self.book.occupied.values()]
        extents = np.array(sorted([*self.space.order(), *leases]), np.int64).reshape(-1, 2)
        books = {"bytes in two extents": (0, int((extents[1:, 0] < extents[:-1, 1]).sum()))}
        if self.checks == "strict":
            books["bytes neither free nor leased"] = (0, self.residual())
        compare("feature pool", books)

    def _check_active(
        self, lease: Lease, error: type[MmLeaseInactive | MmLeaseCancelInactive] = MmLeaseInactive
    ) -> None:
        if not self.book.is_active(lease):
            self._refuse(error(self.transport_name, lease.slot, lease.generation))

    def _close(self, lease: Lease) -> None:
        self.book.close(lease)
        self.space.give_back(lease.start, lease.end)
        self.tally.frees += 1

    def _set_generations(self, slots: NDArray[np.int64], value: int) -> None:
        if not 0 <= value <= self.book.limit:
            text = f"a generation is 0 .. {self.book.limit}, got {value}"
            self._refuse(InvalidSize(text, generation=value))
        self.book.set_generations(slots, value)
        self.wear.restart(int(self.generation.max()))

    def _refuse(self, error: PoolError) -> NoReturn:
        raise self.tally.raised(error)

    def _not_now(self, reason: str) -> Lease | None:
        self.last_failure = reason
        self.tally.failed(reason)
        return None

    def _why_no_range(self, nbytes: int, size: int) -> str:
        merged = self.space.largest_after_merge
        if merged >= size:
            return "unmerged"
        if merged >= nbytes:
            return "alignment"
        return "no_hole" if self.space.total >= size else "no_bytes"

    def _without_slot(self, nbytes: int, size: int) -> Lease | None:
        if self.space.largest < size:
            return self._not_now(self._why_no_range(nbytes, size))
        if self.book.usable_slots:
            # Upstream checks only: the range is cut and the slot popped before the limit is
            # tested, and neither comes back.
            self.space.take(size)
            self._exhausted(self.book.lose_next())
        worn = self.book.worn_slot
        if worn is None:
            return self._not_now("no_slot")
        return self._exhausted(worn)

    def _exhausted(self, slot: int) -> NoReturn:
        generation, limit = int(self.generation[slot]), self.book.limit
        self._refuse(MmGenerationExhausted(self.transport_name, slot, generation, limit))
