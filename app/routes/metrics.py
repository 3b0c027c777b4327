"""GET /metrics: gauges of the newest snapshots, in Prometheus or OpenMetrics text."""

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder

from app.hub.hub import Hub
from app.hub.state import HostState
from app.routes.deps import HubDep
from app.wire.frame import Header

router = APIRouter(tags=["metrics"])

POOL = ("host", "pool", "source")
STATES = ("available", "evictable", "protected", "held", "retired", "leaked")
Reader = Callable[[Header], float | None]


def _nested(*path: str) -> Reader:
    def read(pool: Header) -> float | None:
        value: Any = pool
        for key in path:
            value = value[key] if value is not None else None
        return None if value is None else float(value)

    return read


#: name -> (help, how to read it off a snapshot)
POOL_GAUGES: dict[str, tuple[str, Reader]] = {
    "poolscope_pool_capacity": ("Capacity in the pool's unit", _nested("capacity")),
    "poolscope_pool_allocated_bytes": ("Memory really allocated", _nested("allocated_bytes")),
    "poolscope_pool_modelled_bytes": ("Memory of the modelled server", _nested("modelled_bytes")),
    "poolscope_free_ranges": ("Contiguous free ranges", _nested("free_ranges", "count")),
    "poolscope_largest_free_range": (
        "Largest free range in the pool's unit",
        _nested("free_ranges", "largest"),
    ),
    "poolscope_external_fragmentation_ratio": (
        "1 - largest / total of the free ranges",
        _nested("free_ranges", "external_fragmentation_frac"),
    ),
    "poolscope_slot_generation_max": ("Highest slot generation", _nested("generations", "max")),
    "poolscope_slot_generation_limit": ("Limit of a generation", _nested("generations", "limit")),
    "poolscope_leases": ("Leases not yet recycled", _nested("leases", "count")),
    "poolscope_oldest_lease_age_seconds": (
        "Age of the oldest lease, simulated time",
        _nested("leases", "oldest_age_s"),
    ),
}
ENGINE_GAUGES = {
    "running_reqs": "Requests running",
    "queued_reqs": "Requests waiting",
    "need_next_pages": "KV pages that the next decode step needs",
    "new_token_ratio": "Share of the remaining output that admission reserves",
}
ENGINE_COUNTERS = {
    "finished_total": "Requests finished",
    "rejected_total": "Requests rejected",
    "aborted_total": "Requests aborted",
    "retracted_total": "Retractions",
    "prefix_hit_tokens_total": "Prompt tokens found in the prefix cache",
    "prompt_tokens_total": "Prompt tokens admitted",
    "decode_tokens_total": "Tokens generated",
    "mm_fallbacks_total": "Features that took the slow path",
    "backup_skipped_total": "Host backups skipped",
}


class HubCollector:
    """Reads the hub at scrape time; keeps nothing."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def collect(self) -> Iterator[Metric]:
        """All metric families."""
        live = [state for state in self.hub.watched if state.scalars]
        yield from self._hosts()
        yield from _pool_metrics(live)
        yield from _engine_metrics(live)

    def _hosts(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("poolscope_host_up", "1 when live or paused", labels=["host"])
        age = GaugeMetricFamily(
            "poolscope_sample_age_seconds", "Since the last sample", labels=["host"]
        )
        for state in self.hub.watched:
            up.add_metric([state.name], float(state.state in ("live", "paused")))
            age.add_metric([state.name], state.age_s)
        viewers = GaugeMetricFamily("poolscope_ws_clients", "Open viewer connections")
        viewers.add_metric([], self.hub.viewers)
        frames = CounterMetricFamily(
            "poolscope_frames_received", "Messages taken from hosts", labels=["kind"]
        )
        for kind, count in self.hub.frames_total.items():
            frames.add_metric([kind], count)
        yield from (up, age, viewers, frames)


def _pool_metrics(live: list[HostState]) -> Iterator[Metric]:
    size = GaugeMetricFamily(
        "poolscope_pool_size",
        "Amount per state, in the pool's unit",
        labels=[*POOL, "state", "unit"],
    )
    gauges = {
        name: (GaugeMetricFamily(name, text, labels=POOL), read)
        for name, (text, read) in POOL_GAUGES.items()
    }
    failures = CounterMetricFamily(
        "poolscope_alloc_failures", "Allocations not served", labels=[*POOL, "reason"]
    )
    raised = CounterMetricFamily("poolscope_raised", "Errors raised", labels=[*POOL, "code"])
    for state in live:
        for name, pool in state.pools.items():
            labels = [state.name, name, pool["source"]]
            for word in STATES:
                size.add_metric([*labels, word, pool["unit"]], pool[word])
            for family, read in gauges.values():
                value = read(pool)
                if value is not None:
                    family.add_metric(labels, value)
            for reason, count in pool["counters"]["failures_total"].items():
                failures.add_metric([*labels, reason], count)
            for code, count in pool["counters"]["raised_total"].items():
                raised.add_metric([*labels, code], count)
    yield from (size, *(family for family, _ in gauges.values()), failures, raised)


def _engine_metrics(live: list[HostState]) -> Iterator[Metric]:
    for kind, listed in (
        (GaugeMetricFamily, ENGINE_GAUGES),
        (CounterMetricFamily, ENGINE_COUNTERS),
    ):
        for key, text in listed.items():
            family = kind(
                f"poolscope_{key.removesuffix('_total')}", text, labels=["host", "source"]
            )
            for state in live:
                scalars = state.scalars or {}
                value = scalars["engine"].get(key)
                if value is not None:
                    family.add_metric([state.name, scalars["source"]], value)
            yield family


@router.get(
    "/metrics",
    operation_id="metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, hub: HubDep) -> Response:
    """Scrape target. Labels never name a slot."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(HubCollector(hub))
    encoder, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encoder(registry), media_type=content_type)
