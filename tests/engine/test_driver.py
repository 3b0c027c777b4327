"""The engine end to end on small pools: everything accounted for, nothing leaked, same hash."""

import numpy as np
import pytest

from app.engine.driver import build_driver
from app.engine.scenarios import scenario_names
from app.engine.workload import scenario_workload
from app.sizing.server_args import ServerArgs
from app.traces.request import TraceRequest
from app.wire.event import EngineEvent
from pools.errors import MemoryCorrupted
from tests.engine.workloads import accounted, driver, finish, request, settled


def mixed(count: int, seed: int) -> list[TraceRequest]:
    rng = np.random.default_rng(seed)
    at, made = 0, []
    for rid in range(count):
        at += int(rng.exponential(60))
        blocks = int(rng.integers(1, 12))
        hashes = tuple(
            [int(rng.integers(3))] + [int(rng.integers(40)) + 10 * i for i in range(1, blocks)]
        )
        images = tuple(int(rng.integers(1, 300_000)) for _ in range(int(rng.integers(0, 3))))
        made.append(
            request(
                rid,
                at,
                prompt=blocks * 64 - int(rng.integers(64)),
                output=int(rng.integers(1, 300)),
                hash_ids=hashes,
                block_tokens=64,
                image_bytes=images,
            )
        )
    return made


@pytest.mark.parametrize("page_size", [1, 16, 64])
@pytest.mark.parametrize("radix_off", [False, True])
def test_driver_mixed_traffic_ends_with_nothing_held(page_size: int, radix_off: bool) -> None:
    one, _ = driver(mixed(150, 5), page_size=page_size, disable_radix_cache=radix_off)
    settled(finish(one))
    assert one.ledger.counts["finished_total"] > 140


def test_driver_same_input_gives_the_same_hash() -> None:
    hashes = {finish(driver(mixed(80, 7))[0]).ledger.result_hash() for _ in range(2)}
    assert len(hashes) == 1


def test_driver_other_input_gives_another_hash() -> None:
    hashes = {finish(driver(mixed(80, seed))[0]).ledger.result_hash() for seed in (7, 8)}
    assert len(hashes) == 2


def test_driver_shared_prefix_is_found_and_counted() -> None:
    shared = {"hash_ids": (1, 2, 3, 4), "block_tokens": 64}
    one, _ = driver([request(0, 0, 256, 5, **shared), request(1, 2_000, 256, 5, **shared)])
    finish(one)
    # All whole pages but the one of the last token, which must be computed.
    assert one.ledger.counts["prefix_hit_tokens_total"] == 240


def test_driver_without_prefix_information_never_hits() -> None:
    one, _ = driver([request(rid, rid * 500, 256, 5) for rid in range(5)])
    finish(one)
    assert one.ledger.counts["prefix_hit_tokens_total"] == 0


def test_driver_retracts_and_finishes_all() -> None:
    one, events = driver(
        [request(rid, rid * 100, 64, 700) for rid in range(8)], schedule_conservativeness=0.01
    )
    settled(finish(one))
    assert one.ledger.counts["retracted_total"] > 0
    assert one.ledger.counts["finished_total"] == 8
    (first, *_) = [event for event in events if event.kind == "retract"]
    assert first.code == "retract-kv-pool-full"
    assert first.message.startswith("KV cache pool is full. Retract requests. #retracted_reqs: ")


def test_driver_request_longer_than_allowed_is_rejected_with_the_numbers() -> None:
    one, events = driver([request(0, 0, 3_000, 5), request(1, 0, 100, 5)])
    settled(finish(one))
    assert one.ledger.counts["rejected_total"] == 1
    assert events[0].code == "input-exceeds-max-length"
    assert "Input length (3000 tokens)" in events[0].message


def test_driver_full_queue_rejects() -> None:
    one, events = driver([request(rid, 0, 100, 50) for rid in range(40)], max_queued_requests=4)
    settled(finish(one))
    assert one.ledger.counts["rejected_total"] == 36
    assert events[0].message == "The request queue is full."


def test_driver_row_gate_binds_while_tokens_are_free() -> None:
    one, _ = driver([request(rid, 0, 32, 100) for rid in range(20)], max_running_requests=2)
    for _ in range(30):
        one.step()
    stats = one.stats()
    assert stats["running_reqs"] == 2
    assert stats["admission_blocked_by"] == "rows"
    assert stats["row_bound_since"] is not None
    settled(finish(one))


def test_driver_long_prompt_is_prefilled_in_chunks() -> None:
    one, _ = driver([request(0, 0, 1_500, 3)])
    one.step()
    assert one.batch == "prefill"
    assert one.scheduler.prefill.chunked is not None
    assert one.requests(5)[0]["kv_tokens"] == 512
    settled(finish(one))


def test_driver_features_are_leased_acknowledged_and_recycled() -> None:
    one, _ = driver([request(0, 0, 64, 5, image_bytes=(1_000, 2_000))])
    one.step()
    assert one.set.features is not None
    assert one.set.features.snapshot(0.0).held == 1_024 + 2_048
    settled(finish(one))
    assert one.set.features.snapshot(1.0).held == 0
    assert one.ledger.counts["mm_leases_total"] == 2


def test_driver_full_feature_pool_means_the_slow_path_and_no_error() -> None:
    one, events = driver([request(0, 0, 64, 5, image_bytes=(600_000, 600_000))])
    settled(finish(one))
    assert one.ledger.counts["mm_fallbacks_total"] == 1
    assert one.ledger.counts["finished_total"] == 1
    assert [event.code for event in events] == ["mm-ipc-pool-full"]


def test_driver_memory_check_finds_a_wrong_write() -> None:
    one, events = driver([request(0, 0, 64, 400)])
    for _ in range(5):
        one.step()
    loc = int(one.scheduler.running.column("last_loc")[0])
    assert one.set.kv.buffers is not None
    one.set.kv.buffers.k[0][loc] = 1.0
    with pytest.raises(MemoryCorrupted, match="a wrong index reached the buffer"):
        finish(one)
    assert events[-1].code == "pool-memory-corrupted"


def test_driver_host_takes_backups_and_never_leaks() -> None:
    one, _ = driver(mixed(120, 3), hicache_ratio=1.0)
    settled(finish(one))
    assert one.set.host is not None
    assert one.set.host.available_size() < one.set.host.size
    one.set.host.audit()


#: what they show is a broken book
BROKEN = {"leaked-rows", "double-free"}


@pytest.mark.parametrize("name", sorted({*scenario_names()} - BROKEN))
def test_scenario_runs_without_a_violation(name: str) -> None:
    one = build_driver(
        ServerArgs(max_total_tokens=131_072, context_length=32_768),
        lambda: scenario_workload(name, 1),
        on_event=lambda event: None,
    )
    while one.now_ns < 15e9:
        assert one.step()
    assert one.watch.violations == 0
    assert not accounted(one), "a scenario has no end"


def test_first_minute_tells_every_chapter_within_a_minute() -> None:
    events: list[EngineEvent] = []
    one = build_driver(
        ServerArgs(), lambda: scenario_workload("first-minute", 0), on_event=events.append
    )
    while one.now_ns < 60e9:
        one.step()
    chapters = {event.numbers["chapter"]: event.sim_t for event in events if event.kind == "mark"}
    assert set(chapters) == {
        "reuse",
        "fill",
        "fragmentation",
        "retraction",
        "error",
        "recovery",
    }
    assert chapters["fill"] < chapters["retraction"] < chapters["recovery"]
    assert any(event.code == "logical-host-alloc-unaligned" for event in events)
    assert one.watch.violations == 0
