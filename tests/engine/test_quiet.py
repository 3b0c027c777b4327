"""Decode steps that nothing interrupts run as one: no decision and no count may change by it."""

from typing import Any

import pytest

from app.engine.driver import Driver
from tests.engine.test_driver import mixed
from tests.engine.workloads import driver, request, settled

FAR_NS = 1 << 62


def outcome(one: Driver, until_ns: int, peaks: dict[str, int]) -> dict[str, Any]:
    calls = 0
    while one.step(until_ns=until_ns):
        calls += 1
        for name, pool in one.pools.items():
            snapshot = pool.snapshot(one.now_ns / 1e9)
            peaks[name] = max(peaks.get(name, 0), snapshot.held + snapshot.protected)
    settled(one)
    pools = {n: p.snapshot(one.now_ns / 1e9) for n, p in one.pools.items()}
    return {
        "hash": one.ledger.result_hash(),
        "counts": dict(one.ledger.counts),
        "steps": one.steps,
        "now_ns": one.now_ns,
        "ratio": one.scheduler.ratio.current,
        "failures": {n: s.counters.failures_total for n, s in pools.items()},
        "allocs": {n: s.counters.allocs_total for n, s in pools.items()},
        "tree": pools["radix"].extra,
        "peaks": peaks,
        "calls": calls,
    }


@pytest.mark.parametrize("page_size", [1, 16, 64])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("flags", [{}, {"hicache_ratio": 0.0}, {"max_total_tokens": 2_048}])
def test_steps_run_together_decide_the_same(
    page_size: int, seed: int, flags: dict[str, Any]
) -> None:
    flags = {**flags, "page_size": page_size, "seed": seed}
    single, _ = driver(mixed(60, seed), **flags)
    together, _ = driver(mixed(60, seed), **flags)
    one, other = outcome(single, 0, {}), outcome(together, FAR_NS, {})
    assert other.pop("calls") <= one.pop("calls")
    assert other == one


def test_steps_run_together_are_far_fewer_calls() -> None:
    requests = [request(rid, prompt=50, output=400) for rid in range(4)]
    single, _ = driver(requests)
    together, _ = driver(requests)
    one, other = outcome(single, 0, {}), outcome(together, FAR_NS, {})
    assert other["calls"] < one["calls"] / 20
    assert (other["hash"], other["steps"]) == (one["hash"], one["steps"])


def test_no_step_begins_after_the_horizon() -> None:
    one, _ = driver([request(0, prompt=50, output=2_000)])
    one.step()
    for _ in range(20):
        begun = one.now_ns
        horizon = begun + 100_000_000
        one.step(until_ns=horizon)
        took = (one.now_ns - begun) // max(1, one.steps)
        assert one.now_ns < horizon + 10 * took
        assert one.now_ns > begun


def test_retractions_are_the_same_together() -> None:
    requests = [request(rid, 3 * rid, prompt=200, output=600) for rid in range(12)]
    single, _ = driver(requests)
    together, _ = driver(requests)
    one, other = outcome(single, 0, {}), outcome(together, FAR_NS, {})
    assert one["counts"]["retracted_total"] > 0
    one.pop("calls"), other.pop("calls")
    assert other == one


def test_a_silence_is_crossed_at_once_and_decides_the_same() -> None:
    requests = [request(0), request(1, at_ms=3_600_000), request(2, at_ms=3_600_500)]
    patient, _ = driver(requests)
    hasty, _ = driver(requests)
    one, other = outcome(patient, 0, {}), outcome(hasty, FAR_NS, {})
    assert one["calls"] > 3_600_000 / 50
    assert other["calls"] < 50
    del one["calls"], other["calls"]
    assert other == one
