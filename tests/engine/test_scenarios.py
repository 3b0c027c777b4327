"""Each scenario does on the default server what its two sentences say."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from app.engine.driver import Driver, build_driver
from app.engine.scenarios import scenario_names
from app.engine.workload import scenario_workload
from app.sizing.server_args import ServerArgs
from app.wire.event import EngineEvent

Samples = list[dict[str, Any]]


def run(name: str, seconds: float) -> tuple[Driver, Samples, list[EngineEvent]]:
    """The scenario for so many simulated seconds, sampled twice a second."""
    events: list[EngineEvent] = []
    driver = build_driver(ServerArgs(), lambda: scenario_workload(name, 0), on_event=events.append)
    samples: Samples = []
    while driver.now_ns < seconds * 1e9 and driver.step():
        if driver.now_ns >= len(samples) * 5e8:
            pools = {n: p.snapshot(driver.now_ns / 1e9) for n, p in driver.pools.items()}
            samples.append({**driver.stats(), "pools": pools})
    return driver, samples, events


def free_rows(sample: dict[str, Any]) -> int:
    return int(sample["pools"]["request_slots"].available)


def free_kv_frac(sample: dict[str, Any]) -> float:
    kv = sample["pools"]["kv_pages"]
    return float((kv.available + kv.evictable) / kv.capacity)


def healthy(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    assert events == [] or all(event.level == "info" for event in events)
    assert min(map(free_rows, samples)) > 0
    assert samples[-1]["retracted_total"] == 0
    assert samples[-1]["queue_wait_p95_s"] < 1.0
    assert samples[-1]["pools"]["kv_pages"].evictable > 0, "the cache is warm"


def row_bound(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    bound = [one for one in samples if free_rows(one) == 0 and one["queued_reqs"] > 0]
    assert len(bound) > len(samples) / 3
    assert min(map(free_kv_frac, bound)) > 0.5, "most KV pages can be had while rows bind"
    assert samples[-1]["retracted_total"] == 0


def kv_thrash(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    assert samples[-1]["retracted_total"] >= 5
    assert min(map(free_rows, samples)) > 0, "rows never bind"
    assert min(map(free_kv_frac, samples)) < 0.02
    ratios = [one["new_token_ratio"] for one in samples]
    jumps = [late - early for early, late in itertools.pairwise(ratios)]
    assert max(jumps) > 0.1, "the new-token ratio jumps at a retraction"


def fragmented(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    features = [one["pools"]["mm_feature"] for one in samples]
    holes = [f.free_ranges for f in features if f.free_ranges and f.free_ranges.count > 4]
    assert holes, "the slow consumer leaves holes"
    assert any(h.total > 40 << 20 and h.largest < h.total / 2 for h in holes)
    assert driver.stats()["mm_fallbacks_total"] > 0


CLAIMS: dict[str, tuple[float, Callable[[Driver, Samples, list[EngineEvent]], None]]] = {
    "steady": (60, healthy),
    "row-bound": (60, row_bound),
    "kv-thrash": (60, kv_thrash),
    "feature-fragmented": (60, fragmented),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_scenario_does_what_it_says(name: str) -> None:
    seconds, claim = CLAIMS[name]
    driver, samples, events = run(name, seconds)
    claim(driver, samples, events)
    assert driver.watch.violations == 0
    assert all(pool.residual() == 0 for pool in driver.pools.values())


def test_every_scenario_has_its_claim() -> None:
    told_elsewhere = {"first-minute"}
    assert set(CLAIMS) | told_elsewhere == set(scenario_names())
