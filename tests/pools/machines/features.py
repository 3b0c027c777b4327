"""The feature pool against a list of leases."""

from pools.errors import (
    ForeignIndex,
    InvalidSize,
    MmGenerationExhausted,
    MmLeaseCancelInactive,
    MmLeaseInactive,
)
from pools.kinds.mm_feature import MmFeature
from pools.structures.leases import Lease
from tests.pools.machines.conserved import Amounts, Conserved
from tests.pools.machines.draws import Drawing, data, integers, rule, sampled_from

SLOTS, LIMIT, ALIGN = 8, 6, 256


class Features(Conserved):
    """8 slots that wear out at generation 6, 16 KiB, 2 consumers."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = MmFeature(256 + 16 * 1024, 2, num_slots=SLOTS, generation_limit=LIMIT)
        self.pools = [self.pool]
        self.live: dict[Lease, set[int]] = {}
        self.gone: list[Lease] = []

    def model(self) -> Amounts:
        held = sum(lease.end - lease.start for lease in self.live)
        leases = self.pool.snapshot(self.now_s).leases
        assert leases is not None
        assert leases.count == len(self.live)
        unread = tuple(sum(rank not in acks for acks in self.live.values()) for rank in (0, 1))
        assert leases.outstanding == unread
        return {"mm_feature": {"available": self.pool.capacity - held, "held": held}}

    @rule(nbytes=integers(1, 9000))
    def lease(self, nbytes: int) -> None:
        before = self.look()
        try:
            lease = self.pool.lease(nbytes, self.now_s, owner=7)
        except MmGenerationExhausted:
            assert all(one.generation >= LIMIT for one in self.live)
            lease = None
        if lease is None:
            self.same_as(before)
            return
        assert lease.start % ALIGN == 0
        assert lease.end - lease.start >= nbytes
        for other in self.live:
            assert lease.end <= other.start or other.end <= lease.start, "two leases overlap"
            assert lease.slot != other.slot
        self.live[lease] = set()

    @rule(nbytes=integers(-5, 0))
    def lease_nothing(self, nbytes: int) -> None:
        self.unchanged(lambda: self.pool.lease(nbytes, self.now_s), InvalidSize)

    @rule(drawing=data(), consumer=integers(0, 1))
    def acknowledge(self, drawing: Drawing, consumer: int) -> None:
        if self.live:
            lease = drawing.draw(sampled_from(sorted(self.live)))
            self.pool.publish(lease)
            self.pool.acknowledge(lease, consumer)
            self.live[lease].add(consumer)

    @rule(drawing=data(), consumer=sampled_from([-1, 2, 99]))
    def acknowledge_as_nobody(self, drawing: Drawing, consumer: int) -> None:
        if self.live:
            lease = drawing.draw(sampled_from(sorted(self.live)))
            self.unchanged(lambda: self.pool.acknowledge(lease, consumer), ForeignIndex)

    @rule(drawing=data())
    def cancel(self, drawing: Drawing) -> None:
        if self.live:
            lease = drawing.draw(sampled_from(sorted(self.live)))
            self.pool.cancel(lease)
            self.live[lease] = {-1, 0, 1}

    @rule(passed_s=sampled_from([0.0, 0.01, 0.05, 3.0]))
    def recycle(self, passed_s: float) -> None:
        self.now_s += passed_s
        freed = self.pool.recycle(self.now_s)
        for lease in freed:
            assert self.live.pop(lease) >= {0, 1}, "freed before every consumer had read it"
            self.gone = [*self.gone[-99:], lease]

    @rule(drawing=data())
    def release(self, drawing: Drawing) -> None:
        if self.live:
            lease = drawing.draw(sampled_from(sorted(self.live)))
            self.pool.release(lease)
            del self.live[lease]
            self.gone = [*self.gone[-99:], lease]

    @rule(drawing=data())
    def use_a_lease_that_is_gone(self, drawing: Drawing) -> None:
        if self.gone:
            lease = drawing.draw(sampled_from(self.gone))
            self.unchanged(lambda: self.pool.release(lease), MmLeaseInactive)
            self.unchanged(lambda: self.pool.acknowledge(lease, 0), MmLeaseInactive)
            self.unchanged(lambda: self.pool.cancel(lease), MmLeaseCancelInactive)

    @rule(rarely=True)
    def clear_under_live_leases(self) -> None:
        self.pool.clear()
        self.gone = [*self.gone, *self.live][-100:]
        self.live.clear()
