import pytest

from pools.kinds.mm_feature import MmFeature
from tests.pools.feature_pools import must_lease

LIMIT = 0x7FFFFFFF


def test_wear_is_measured_over_the_last_ten_seconds() -> None:
    pool = MmFeature(256 + 4096, 1, num_slots=4, recycle_interval_s=0.05)
    assert pool.snapshot(0).generations.seconds_until_limit is None
    for tick in range(400):
        lease = must_lease(pool, 100, tick * 0.05)
        pool.cancel(lease)
        pool.recycle(tick * 0.05)
    figures = pool.snapshot(400 * 0.05).generations
    assert (figures.max, figures.hottest_slot, figures.bumps_total) == (400, 0, 400)
    assert figures.bumps_per_s == pytest.approx(20)
    assert figures.seconds_until_limit == pytest.approx((LIMIT - 400) / 20)
    assert figures.quantiles == (0, 400, 400)
    idle = pool.snapshot(400 * 0.05 + 11).generations
    assert (idle.bumps_per_s, idle.seconds_until_limit) == (0.0, None)


def test_wear_is_never_faster_than_one_lease_per_pass_and_ignores_faults() -> None:
    pool = MmFeature(256 + 4096, 1, num_slots=4, recycle_interval_s=1.0)
    pool.set_generations(LIMIT - 100)
    assert pool.snapshot(0).generations.seconds_until_limit is None
    for _ in range(50):
        pool.release(must_lease(pool, 100, 0.0))
    figures = pool.snapshot(0.0).generations
    assert figures.max == LIMIT - 50
    assert figures.seconds_until_limit == 50.0


def test_rates_start_anew_when_generations_are_set() -> None:
    pool = MmFeature(256 + 4096, 1, num_slots=4)
    for _ in range(5):
        pool.release(must_lease(pool, 100))
    assert pool.snapshot(1.0).generations.bumps_per_s == 5.0
    pool.set_generations(1000)
    figures = pool.snapshot(1.0).generations
    assert (figures.bumps_per_s, figures.seconds_until_limit) == (0.0, None)
    pool.release(must_lease(pool, 100, 2.0))
    assert pool.snapshot(3.0).generations.seconds_until_limit == LIMIT - 1001
