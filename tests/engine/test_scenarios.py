"""Each scenario does on the default server what its two sentences say."""

from collections.abc import Callable
from typing import Any

import pytest

from app.engine.driver import Driver, build_driver
from app.engine.scenarios import scenario, scenario_names
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
    assert next(event.sim_t for event in events if event.kind == "retract") < 30
    assert samples[-1]["retracted_total"] >= 20, "several a minute"
    assert min(map(free_rows, samples)) > 0, "rows never bind"
    assert min(map(free_kv_frac, samples)) < 0.02
    ratios = [one["new_token_ratio"] for one in samples]
    assert min(ratios) < 0.1, "the floor"
    assert max(ratios[ratios.index(min(ratios)) :]) > 0.5, "it climbs with the retractions"


def fragmented(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    features = [one["pools"]["mm_feature"] for one in samples]
    holes = [f.free_ranges for f in features if f.free_ranges and f.free_ranges.count > 4]
    assert holes, "the slow consumer leaves holes"
    assert any(h.total > 40 << 20 and h.largest < h.total / 2 for h in holes)
    assert driver.stats()["mm_fallbacks_total"] > 0


def page_rounding(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    retracts: list[dict[str, Any]] = [e.numbers for e in events if e.kind == "retract"]
    assert len(retracts) >= 3
    for one in retracts:
        asked = one["running_reqs"] + one["retracted_reqs"]
        assert asked == one["needed_pages"] == 72, "a token each, and a page each"
        assert one["free_pages"] * driver.plan.page_size > 20_000 > 200 * asked
        assert one["free_pages"] < one["needed_pages"]
    assert min(map(free_rows, samples)) > 0, "rows never bind"


def generation_wrap(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    retired = [one["pools"]["mm_feature"].extra.get("retired_slots", 0) for one in samples]
    assert retired == sorted(retired)
    assert len({*retired}) > 20, "one by one, not at once"
    assert retired[-1] == 4_096
    codes = [str(event.code) for event in events if event.kind == "error"]
    assert set(codes) == {"mm-slot-generation-exhausted"}
    assert len(codes) < 30, "told once a second, counted each time"
    assert driver.ledger.errors[codes[0]] == samples[-1]["mm_fallbacks_total"] > len(codes)
    assert samples[-1]["finished_total"] > samples[-4]["finished_total"], "the slow path serves"


def leaked_rows(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    leaked = [one["pools"]["request_slots"].leaked for one in samples]
    assert leaked == sorted(leaked)
    assert {0, 40, 80, 120, 160, 200, 240} <= {*leaked}
    assert samples[-1]["running_reqs"] <= 16
    assert samples[-1]["admission_blocked_by"] == "rows"
    assert samples[-1]["queued_reqs"] > 0
    assert {event.code for event in events} == {"pool-integrity-broken"}


def double_free(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    kv = samples[-1]["pools"]["kv_pages"]
    assert kv.leaked < 0
    assert kv.available + kv.evictable + kv.protected + kv.held > kv.capacity
    assert any(event.numbers["leaked"] == -8 for event in events if event.kind == "alarm")
    assert kv.extra["corrupted_tokens_total"] > 0, "two requests wrote to one page"


def stale_lease(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    refused = [event for event in events if event.kind == "error"]
    assert len(refused) >= 4
    assert {event.code for event in refused} == {"mm-lease-release-inactive"}
    assert samples[-1]["mm_fallbacks_total"] == 0
    assert driver.features is not None
    assert driver.features.pool.tally.frees >= samples[-1]["mm_leases_total"] - 20
    assert driver.ledger.counts["finished_total"] > 0


def host_starved(driver: Driver, samples: Samples, events: list[EngineEvent]) -> None:
    host = samples[-1]["pools"]["host_logical"]
    assert host.capacity < driver.plan.kv_tokens / 19
    assert host.available < host.capacity / 10
    assert samples[-1]["backup_skipped_total"] > 100
    assert events == []
    assert samples[-1]["pools"]["kv_pages"].evictable > 0


CLAIMS: dict[str, tuple[float, Callable[[Driver, Samples, list[EngineEvent]], None]]] = {
    "steady": (60, healthy),
    "row-bound": (60, row_bound),
    "kv-thrash": (60, kv_thrash),
    "feature-fragmented": (60, fragmented),
    "page-rounding": (30, page_rounding),
    "generation-wrap": (26, generation_wrap),
    "leaked-rows": (40, leaked_rows),
    "double-free": (45, double_free),
    "stale-lease": (30, stale_lease),
    "host-starved": (45, host_starved),
}
#: what they show is a broken book
BROKEN = {"leaked-rows": "request_slots", "double-free": "kv_pages"}


@pytest.mark.parametrize("name", CLAIMS)
def test_scenario_does_what_it_says(name: str) -> None:
    seconds, claim = CLAIMS[name]
    driver, samples, events = run(name, seconds)
    claim(driver, samples, events)
    assert bool(driver.watch.violations) == (name in BROKEN)
    broken = {n for n, pool in driver.pools.items() if pool.residual()}
    assert broken == ({BROKEN[name]} if name in BROKEN else set())


def test_every_scenario_has_its_claim() -> None:
    told_elsewhere = {"first-minute"}
    assert set(CLAIMS) | told_elsewhere == set(scenario_names())


@pytest.mark.parametrize("name", scenario_names())
def test_scenario_says_in_two_sentences_what_to_look_at(name: str) -> None:
    look = scenario(name).look
    assert look.endswith(".")
    assert look.count(". ") == 1
