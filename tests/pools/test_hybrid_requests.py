"""Rows and state slots together: the exact count, the factors before it, the hybrid's messages."""

import pytest

from pools.allocation import alloc_hybrid_req_slots, ensure_mamba_capacity
from pools.base import Checks
from pools.errors import DoubleFree, InvalidSize, PoolError, ReqSlotsExhausted
from pools.kinds.mamba_states import MambaStates
from pools.kinds.request_slots import RequestSlots
from pools.side_errors import MambaDoubleFree, MambaPingPongExhausted, MambaSlotsExhausted
from pools.structures.hybrid_requests import HybridRequests
from pools.structures.mamba_demand import (
    headroom_by_factor,
    slots_per_running_request,
    tracking_slots,
)


def build(
    rows: int = 8, slots: int = 12, tracking: int = 0, checks: Checks = "strict"
) -> HybridRequests:
    return HybridRequests(
        RequestSlots(rows, 16, checks=checks),
        MambaStates(slots, checks=checks),
        tracking_slots=tracking,
        checks=checks,
    )


def conserved(pool: HybridRequests) -> None:
    for one in (pool.rows, pool.states):
        one.audit()  # type: ignore[attr-defined]
        assert one.residual() == 0  # type: ignore[attr-defined]


def cached(pool: HybridRequests, count: int) -> None:
    """States of requests that ended: all in the prefix cache."""
    for rid in range(100, 100 + count):
        assert pool.alloc([rid]) is not None
        pool.free(rid, keep=True)


def test_tracking_slots_per_request() -> None:
    assert tracking_slots(extra_buffer=False) == 0
    assert tracking_slots(extra_buffer=True) == 2
    assert tracking_slots(extra_buffer=True, overlap=False) == 1
    assert tracking_slots(extra_buffer=True, lazy=True) == 1


def test_factors_of_earlier_releases() -> None:
    assert headroom_by_factor(5, prefix_cache=True) == 15
    assert headroom_by_factor(5, prefix_cache=True, lazy=True) == 10
    assert headroom_by_factor(5, prefix_cache=False) == 5


def test_ratio_that_caps_running_requests() -> None:
    ratios = [slots_per_running_request(prefix_cache=True, tracking=n) for n in (0, 1, 2)]
    assert ratios == [3, 4, 5]
    assert slots_per_running_request(prefix_cache=False, tracking=2) == 1


def test_each_request_gets_a_row_a_state_and_its_tracked_states() -> None:
    pool = build(tracking=2)
    assert pool.needed_slots([1, 2]) == 6
    assert pool.alloc([1, 2]) == [7, 8]
    assert pool.states.available_size() == 6
    assert (pool.holdings[1].slot, pool.holdings[1].tracked) == (1, [2, 3])
    conserved(pool)


def test_next_chunk_keeps_row_and_slots() -> None:
    pool = build(tracking=1)
    pool.alloc([1])
    assert pool.needed_slots([1, 2]) == 2
    assert pool.alloc([1, 2]) == [8, 7]
    assert pool.states.available_size() == 12 - 4


def test_too_few_rows_is_none_and_then_the_error_of_the_rows() -> None:
    pool = build(rows=2)
    assert pool.alloc([1, 2, 3]) is None
    with pytest.raises(ReqSlotsExhausted, match=r"available_size\(\)=2, num_reqs=3"):
        alloc_hybrid_req_slots(pool, [1, 2, 3])
    assert pool.holdings == {}
    conserved(pool)


def test_strict_looks_for_all_slots_before_it_takes_a_row() -> None:
    pool = build(slots=2)
    with pytest.raises(MambaSlotsExhausted) as caught:
        pool.alloc([1, 2, 3])
    assert str(caught.value).endswith(
        "mid=None, self.mamba_pool.size=2, self.mamba_allocator.available_size()=0, len(reqs)=3"
    )
    assert caught.value.numbers == {"slots": 2, "available_slots": 0, "reqs": 3}
    assert (pool.rows.available_size(), pool.states.available_size()) == (8, 2)
    assert pool.holdings == {}


@pytest.mark.parametrize(
    ("slots", "error"),
    [(3, MambaSlotsExhausted), (4, MambaPingPongExhausted), (5, MambaPingPongExhausted)],
)
def test_both_checks_raise_the_same_text_and_numbers(slots: int, error: type[PoolError]) -> None:
    caught = []
    for checks in ("strict", "upstream"):
        pool = build(slots=slots, tracking=2, checks=checks)
        with pytest.raises(error) as raised:
            pool.alloc([1, 2, 3])
        caught.append((str(raised.value), raised.value.numbers))
    assert caught[0] == caught[1]


def test_upstream_has_taken_the_rows_when_it_raises() -> None:
    pool = build(slots=2, checks="upstream")
    with pytest.raises(MambaSlotsExhausted):
        pool.alloc([1, 2, 3])
    assert (pool.rows.available_size(), pool.states.available_size()) == (5, 0)
    pool.free(1)
    pool.free(2)
    with pytest.raises(MambaDoubleFree, match="double free"):
        pool.free(3)
    assert pool.rows.available_size() == 7, "the third row has no state to be freed with"


def test_freed_twice_is_refused() -> None:
    pool = build()
    pool.alloc([1])
    pool.free(1)
    with pytest.raises(MambaDoubleFree):
        pool.free(1)
    with pytest.raises(MambaDoubleFree):
        pool.free(99)
    conserved(pool)


def test_request_named_twice_is_refused() -> None:
    pool = build()
    with pytest.raises(DoubleFree, match="request 4 is named twice"):
        pool.alloc([4, 5, 4])
    assert pool.holdings == {}
    assert pool.alloc([]) == []


def test_kept_state_is_cached_and_the_tracked_ones_are_free() -> None:
    pool = build(tracking=2)
    pool.alloc([1])
    pool.free(1, keep=True)
    assert pool.states.available_size() == 11
    assert pool.states.evictable_size() == 1  # type: ignore[attr-defined]
    assert pool.rows.available_size() == 8
    conserved(pool)


def test_exact_count_evicts_less_than_the_factor_did() -> None:
    """Seed 000 shows the factor; 0.5.23 counts what is missing."""
    evicted = []
    for headroom in (None, headroom_by_factor(2, prefix_cache=True)):
        pool = build()
        cached(pool, 10)
        assert alloc_hybrid_req_slots(pool, [1, 2], headroom)
        evicted.append(pool.states.evicted_total)  # type: ignore[attr-defined]
        conserved(pool)
    assert evicted == [0, 4]


def test_capacity_that_cannot_be_had_is_said_and_costs_the_cache() -> None:
    pool = build(slots=4)
    cached(pool, 3)
    assert not ensure_mamba_capacity(pool, [1, 2, 3, 4, 5])
    assert pool.states.available_size() == 4
    with pytest.raises(MambaSlotsExhausted):
        alloc_hybrid_req_slots(pool, [1, 2, 3, 4, 5])


def test_negative_tracking_is_refused() -> None:
    with pytest.raises(InvalidSize, match="tracking_slots -1"):
        build(tracking=-1)


def test_clear_under_live_requests() -> None:
    pool = build()
    pool.alloc([1, 2])
    pool.rows.clear()  # type: ignore[attr-defined]
    pool.states.clear()  # type: ignore[attr-defined]
    pool.clear()
    with pytest.raises(MambaDoubleFree):
        pool.free(1)
    assert pool.alloc([1]) == [8]
    conserved(pool)
