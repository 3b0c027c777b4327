"""What the catalog says about worn feature slots, run on real feature pools."""

from dataclasses import replace

import pytest
import torch

from pools.errors import MmGenerationExhausted
from pools.kinds.mm_feature import MmFeature


def serve(pool: MmFeature, per_second: int, seconds: float) -> int:
    """Leases that are read at once, and the recycler's passes; the highest generation after."""
    interval_ns = round(pool.recycle_interval_s * 1e9)
    lease_ns = 10**9 // per_second
    times = sorted(
        [(at, "lease") for at in range(0, round(seconds * 1e9), lease_ns)]
        + [(at, "pass") for at in range(interval_ns, round(seconds * 1e9) + 1, interval_ns)],
        key=lambda item: (item[0], item[1] != "pass"),
    )
    for at_ns, what in times:
        if what == "pass":
            pool.recycle(at_ns / 1e9)
            continue
        lease = pool.lease(256, at_ns / 1e9)
        assert lease is not None
        pool.publish(lease)
        for consumer in range(pool.consumer_count):
            pool.acknowledge(lease, consumer)
    return int(pool.generation.max())


def feature_pool(interval_s: float = 0.05, limit: int = 2**31 - 1) -> MmFeature:
    return MmFeature(
        1 << 20,
        2,
        num_slots=256,
        recycle_interval_s=interval_s,
        generation_limit=limit,
        checks="upstream",
    )


def test_a_worn_slot_costs_upstream_a_slot_and_its_bytes() -> None:
    pool = MmFeature(1 << 16, 2, num_slots=4, checks="upstream")
    pool.set_generation(0, 2**31 - 1)
    with pytest.raises(MmGenerationExhausted):
        pool.lease(1_024, 0.0)
    assert pool.residual() == 1_024
    assert int((pool.state == 0).sum()) == 3
    following = pool.lease(1_024, 0.0)
    assert following is not None
    assert (following.slot, following.generation) == (1, 1)


def test_a_worn_slot_costs_poolscope_nothing() -> None:
    pool = MmFeature(1 << 16, 2, num_slots=4, generation_limit=2)
    pool.set_generations(2)
    before = pool.snapshot(0.0)
    with pytest.raises(MmGenerationExhausted):
        pool.lease(1_024, 0.0)
    after = pool.snapshot(0.0)
    assert replace(after, counters=before.counters) == before
    pool.audit()


def test_a_new_pool_starts_at_generation_zero() -> None:
    worn = feature_pool()
    worn.set_generations(2**31 - 1)
    with pytest.raises(MmGenerationExhausted):
        worn.lease(256, 0.0)
    restarted = feature_pool()
    lease = restarted.lease(256, 0.0)
    assert lease is not None
    assert lease.generation == 1


def test_twice_the_recycle_interval_is_half_the_wear() -> None:
    assert serve(feature_pool(0.05), per_second=100, seconds=2.0) == 40
    assert serve(feature_pool(0.10), per_second=100, seconds=2.0) == 20
    with pytest.raises(MmGenerationExhausted):
        serve(feature_pool(0.05, limit=30), per_second=100, seconds=2.0)
    serve(feature_pool(0.10, limit=30), per_second=100, seconds=2.0)


def test_copying_less_does_not_slow_the_hottest_slot() -> None:
    wear = {rate: serve(feature_pool(), rate, seconds=2.0) for rate in (20, 100, 1_000)}
    assert wear == {20: 40, 100: 40, 1_000: 40}
    assert serve(feature_pool(), 5, seconds=2.0) == 10


def test_the_limit_is_years_away_at_the_default_interval() -> None:
    year_s = 365.25 * 86_400
    assert round(2**31 * 0.05 / year_s, 2) == 3.40
    assert round(2**31 * 0.01 / year_s, 2) == 0.68
    assert round(2**31 * 0.001 / 86_400) == 25


def test_a_full_pool_gives_a_pair_of_none() -> None:
    pool = MmFeature.tiny("upstream")
    too_large = torch.zeros(1 << 20, dtype=torch.uint8)
    assert pool.copy_tensor(too_large, 0.0) == (None, None)
