"""vLLM's rules against numbers worked out by hand, and on a small server."""

import numpy as np
import pytest

from app.engine.driver import Driver
from app.engine.policies.vllm import admits, first_preempted, max_new_tokens, pages_for, shares
from app.engine.vllm_scheduler import VLLM
from app.engine.workload import Workload
from app.sizing.plan import resolve
from app.sizing.server_args import ServerArgs
from app.traces.request import TraceRequest
from app.wire.event import EngineEvent
from tests.engine.workloads import finish, request, settled

FLAGS = {
    "max_total_tokens": 640,
    "page_size": 16,
    "max_running_requests": 4,
    "context_length": 512,
    "chunked_prefill_size": -1,
    "max_prefill_tokens": 128,
    "disable_radix_cache": True,
    "hicache_ratio": 0.0,
    "mm_feature_cache_mb": 0,
}


def small(requests: list[TraceRequest], **flags: int) -> tuple[Driver, list[EngineEvent]]:
    events: list[EngineEvent] = []
    workload = Workload("test", "synthetic", len(requests), lambda: iter(requests))
    plan = resolve(ServerArgs(**{**FLAGS, **flags}))  # type: ignore[arg-type]
    return Driver(plan, workload, on_event=events.append, policy=VLLM), events


def test_shares_of_a_step_are_first_come_first_served() -> None:
    assert shares(np.array([1, 1, 200, 1]), 128).tolist() == [1, 1, 126, 0]
    assert shares(np.array([1, 1]), 128).tolist() == [1, 1]


def test_pages_for_counts_only_what_begins_anew() -> None:
    kv_len, take = np.array([0, 15, 16, 17, 40]), np.array([17, 1, 1, 15, 0])
    assert pages_for(kv_len, take, 16).tolist() == [2, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("pages", "held", "free", "stay"),
    [
        ([1, 1, 1], [5, 5, 5], 3, 3),
        ([1, 1, 1], [5, 5, 5], 2, 2),
        ([1, 0, 0], [5, 5, 5], 0, 2),
        ([4, 0, 0], [5, 2, 2], 0, 1),
        ([2], [5], 1, 0),
    ],
)
def test_first_preempted_takes_from_the_newest(
    pages: list[int], held: list[int], free: int, stay: int
) -> None:
    assert first_preempted(np.array(pages), np.array(held), free) == stay


def test_admits_when_the_whole_prompt_fits_now() -> None:
    assert admits(160, 16, 10)
    assert not admits(161, 16, 10)


def test_max_new_tokens_stays_within_the_length_and_refuses_what_the_pool_cannot_hold() -> None:
    plan = resolve(ServerArgs(**FLAGS))  # type: ignore[arg-type]
    assert max_new_tokens(50, 100, plan) == 50
    assert max_new_tokens(5_000, 100, plan) == 412
    tight = resolve(ServerArgs(**{**FLAGS, "max_total_tokens": 160}))  # type: ignore[arg-type]
    assert max_new_tokens(50, 100, tight) == 50
    assert max_new_tokens(61, 100, tight) == 0


def test_prompts_share_a_step_with_decodes() -> None:
    one, _ = small([request(0, 0, 100, 50), request(1, 0, 100, 50)])
    one.step()
    assert one.scheduler.running.column("kv_len").tolist() == [100, 28]
    one.step()
    assert one.scheduler.running.column("kv_len").tolist() == [101, 100]
    assert one.scheduler.running.column("out").tolist() == [2, 1]
    settled(finish(one))


def test_the_newest_is_preempted_keeps_its_output_and_comes_back_first() -> None:
    one, events = small([request(rid, 0, 100, 200) for rid in range(6)])
    while not events:
        one.step()
    (event,) = events
    assert event.kind == "retract"
    running = [live.rid for live in one.scheduler.running.requests]
    waiting = [live.rid for live in one.scheduler.prefill.waiting]
    assert running == sorted(running)
    assert running + waiting == list(range(6)), "order of arrival, across both"
    assert one.scheduler.prefill.waiting[0].out > 0
    settled(finish(one))
    assert one.ledger.counts["finished_total"] == 6


def test_rows_bind_and_the_engine_says_since_when() -> None:
    one, _ = small([request(rid, 0, 16, 40) for rid in range(9)])
    for _ in range(5):
        one.step()
    stats = one.stats()
    assert (stats["running_reqs"], stats["queued_reqs"]) == (4, 5)
    assert stats["admission_blocked_by"] == "rows"
    assert stats["row_bound_since"] is not None
    assert stats["new_token_ratio"] == 0.0
    settled(finish(one))


def test_a_request_that_the_pool_cannot_hold_is_refused() -> None:
    one, events = small([request(0, 0, 300, 200), request(1, 0, 50, 5)], max_total_tokens=400)
    settled(finish(one))
    assert one.ledger.counts["rejected_total"] == 1
    assert events[0].kind == "reject"
