"""The feature pool against a list of leases."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from pools.errors import (
    ForeignIndex,
    InvalidSize,
    MmGenerationExhausted,
    MmLeaseCancelInactive,
    MmLeaseInactive,
)
from pools.kinds.mm_feature import MmFeature
from pools.structures.leases import Lease
from tests.pools.machines.conserved import Conserved

SLOTS, LIMIT, ALIGN = 8, 6, 256


class Features(Conserved):
    """8 slots that wear out at generation 6, 16 KiB, 2 consumers."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = MmFeature(256 + 16 * 1024, 2, num_slots=SLOTS, generation_limit=LIMIT)
        self.pools = [self.pool]
        self.live: dict[Lease, set[int]] = {}
        self.gone: list[Lease] = []

    @rule(nbytes=st.integers(1, 9000))
    def lease(self, nbytes: int) -> None:
        before = self.look()
        try:
            lease = self.pool.lease(nbytes, self.now_s, owner=7)
        except MmGenerationExhausted:
            assert self.look_equal(before)
            return
        if lease is None:
            assert self.look_equal(before)
            return
        assert lease.start % ALIGN == 0
        assert lease.end - lease.start >= nbytes
        for other in self.live:
            assert lease.end <= other.start or other.end <= lease.start, "two leases overlap"
            assert lease.slot != other.slot
        self.live[lease] = set()

    @rule(nbytes=st.integers(-5, 0))
    def lease_nothing(self, nbytes: int) -> None:
        self.unchanged(lambda: self.pool.lease(nbytes, self.now_s), InvalidSize)

    @rule(data=st.data(), consumer=st.integers(0, 1))
    def acknowledge(self, data: st.DataObject, consumer: int) -> None:
        if self.live:
            lease = data.draw(st.sampled_from(sorted(self.live)))
            self.pool.publish(lease)
            self.pool.acknowledge(lease, consumer)
            self.live[lease].add(consumer)

    @rule(data=st.data(), consumer=st.sampled_from([-1, 2, 99]))
    def acknowledge_as_nobody(self, data: st.DataObject, consumer: int) -> None:
        if self.live:
            lease = data.draw(st.sampled_from(sorted(self.live)))
            self.unchanged(lambda: self.pool.acknowledge(lease, consumer), ForeignIndex)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if self.live:
            lease = data.draw(st.sampled_from(sorted(self.live)))
            self.pool.cancel(lease)
            self.live[lease] = {-1, 0, 1}

    @rule(passed_s=st.sampled_from([0.0, 0.01, 0.05, 3.0]))
    def recycle(self, passed_s: float) -> None:
        self.now_s += passed_s
        freed = self.pool.recycle(self.now_s)
        for lease in freed:
            assert self.live.pop(lease) >= {0, 1}, "freed before every consumer had read it"
            self.gone.append(lease)

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        if self.live:
            lease = data.draw(st.sampled_from(sorted(self.live)))
            self.pool.release(lease)
            del self.live[lease]
            self.gone.append(lease)

    @rule(data=st.data())
    def use_a_lease_that_is_gone(self, data: st.DataObject) -> None:
        if self.gone:
            lease = data.draw(st.sampled_from(self.gone))
            self.unchanged(lambda: self.pool.release(lease), MmLeaseInactive)
            self.unchanged(lambda: self.pool.acknowledge(lease, 0), MmLeaseInactive)
            self.unchanged(lambda: self.pool.cancel(lease), MmLeaseCancelInactive)

    @rule()
    def clear_under_live_leases(self) -> None:
        self.pool.clear()
        self.gone += self.live
        self.live.clear()

    def look_equal(self, before: object) -> bool:
        return [(n, s) for n, s, _ in self.look()] == [(n, s) for n, s, _ in before]  # type: ignore[attr-defined]

    def teardown(self) -> None:
        snapshot = self.pool.snapshot(self.now_s)
        assert snapshot.held == sum(lease.end - lease.start for lease in self.live)
        assert snapshot.leases is not None
        assert snapshot.leases.count == len(self.live)
