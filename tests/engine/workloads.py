"""Small workloads and drivers for engine tests."""

from collections.abc import Iterable
from typing import Any

from app.engine.driver import Driver
from app.engine.workload import Workload
from app.sizing.plan import resolve
from app.sizing.server_args import ServerArgs
from app.traces.request import TraceRequest
from app.wire.event import EngineEvent

SMALL = {
    "max_total_tokens": 4_096,
    "page_size": 16,
    "max_running_requests": 8,
    "context_length": 2_048,
    "chunked_prefill_size": 512,
    "mm_feature_cache_mb": 1,
}


def request(
    rid: int, at_ms: int = 0, prompt: int = 100, output: int = 20, **more: Any
) -> TraceRequest:
    return TraceRequest(rid, at_ms * 1_000_000, prompt, output, **more)


def driver(requests: Iterable[TraceRequest], **flags: Any) -> tuple[Driver, list[EngineEvent]]:
    """A small server under these requests, and the events it will emit."""
    listed, events = list(requests), list[EngineEvent]()
    workload = Workload("test", "synthetic", len(listed), lambda: iter(listed))
    plan = resolve(ServerArgs(**{**SMALL, **flags}))
    return Driver(plan, workload, on_event=events.append), events


def finish(one: Driver, most: int = 200_000) -> Driver:
    """Run to the end."""
    for _ in range(most):
        if not one.step():
            return one
    raise AssertionError(f"not done after {most} iterations: {one.stats()}")


def accounted(one: Driver) -> bool:
    """finished + rejected + aborted = arrived."""
    counts = one.ledger.counts
    ends = ("finished_total", "rejected_total", "aborted_total")
    return sum(counts[name] for name in ends) == counts["arrived_total"]


def settled(one: Driver) -> None:
    """Nothing runs, nothing is held, nothing leaked."""
    assert accounted(one)
    assert one.watch.violations == 0
    assert one.set.slots.available_size() == one.set.slots.size
    for name, pool in one.pools.items():
        assert pool.residual() == 0, name
        pool.audit()
    kv = one.set.kv
    assert kv.available_size() + one.set.tree.evictable_size() == kv.size
    assert one.set.tree.protected_size() == 0
