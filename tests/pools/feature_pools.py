"""Calls and comparisons that the tests of the feature pool share."""

import dataclasses

from pools.kinds.mm_feature import MmFeature
from pools.snapshot import PoolSnapshot
from pools.structures.leases import Lease


def must_lease(pool: MmFeature, nbytes: int, now_s: float = 0.0, owner: int = -1) -> Lease:
    lease = pool.lease(nbytes, now_s, owner)
    assert lease is not None
    return lease


def acknowledge_all(pool: MmFeature, lease: Lease) -> None:
    for consumer in range(pool.consumer_count):
        pool.acknowledge(lease, consumer)


def conserved(pool: MmFeature) -> PoolSnapshot:
    s = pool.snapshot(0.0)
    assert s.available + s.evictable + s.protected + s.held + s.retired + s.leaked == s.capacity
    return s


def state_of(pool: MmFeature) -> tuple[PoolSnapshot, list[tuple[int, int]], list[int], list[int]]:
    """All that a refused call must leave as it was: everything but the counters of refusals."""
    snapshot = pool.snapshot(1.0)
    extra = {k: v for k, v in snapshot.extra.items() if k != "slow_path_total"}
    counters = dataclasses.replace(snapshot.counters, failures_total={}, raised_total={})
    plain = dataclasses.replace(snapshot, extra=extra, counters=counters)
    return plain, pool.space.order(), pool.book.free_slots(), pool.state.tolist()
