"""A trace through the pools, headless: everything accounted for."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.engine.change import Change
from app.engine.driver import Driver, build_driver
from app.engine.observe import Observer
from app.engine.workload import trace_workload
from app.sizing.server_args import ServerArgs
from app.traces.options import ReadOptions
from app.wire.event import EngineEvent

#: called with requests ended, requests in all, simulated seconds
Progress = Callable[[int, int, float], None]
PROGRESS_EVERY = 200
#: nobody watches, so steps are run together wherever they can be
NO_LIMIT_NS = 1 << 62
ENDS = ("finished_total", "rejected_total", "aborted_total")


def replay(
    path: str | Path,
    server: ServerArgs,
    options: ReadOptions | None = None,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    change: Change | None = None,
    observe: bool = False,
) -> dict[str, Any]:
    """Run a trace to its end.

    Args:
        path, options, limit: the trace, see `read_trace`.
        server: the modelled server.
        progress: told now and then how far it is.
        change: run a changed load or step time.
        observe: add `observed`, what bound and how close the others came.
    Returns:
        `requests`, `pools`, `invariants`, `errors`, `sim_seconds`, `wall_seconds`, `result_hash`,
        `trace`, `notes`, `server`.

    Raises:
        FlagError, TraceError: nothing was run.
    """
    ignore: Callable[[EngineEvent], None] = lambda event: None  # noqa: E731
    change = change or Change()
    driver = build_driver(
        server,
        lambda: change.of(trace_workload(path, options, limit=limit)),
        on_event=ignore,
        step_time=change.step_time(),
    )
    peaks = Peaks(driver)
    observer = Observer(driver) if observe else None
    started = time.perf_counter()
    _run(driver, peaks, observer, progress)
    result = _result(driver, peaks, time.perf_counter() - started)
    return result | {"observed": observer.result()} if observer is not None else result


def _run(
    driver: Driver, peaks: "Peaks", observer: Observer | None, progress: Progress | None
) -> None:
    total, batches = driver.workload.total or 0, 0
    while driver.step(until_ns=NO_LIMIT_NS):
        peaks.note()
        if observer is not None:
            observer.note()
        batches += 1
        if progress is not None and batches % PROGRESS_EVERY == 0:
            progress(_ended(driver), total, driver.now_ns / 1e9)
    if progress is not None:
        progress(_ended(driver), total, driver.now_ns / 1e9)


class Peaks:
    """Highest held amount per pool, cheap enough for every step."""

    def __init__(self, driver: Driver) -> None:
        self._set = driver.set
        self.held = dict.fromkeys(driver.pools, 0)

    def note(self) -> None:
        """Look at the free lists only."""
        pools, held = self._set, self.held
        rows = pools.slots.size - pools.slots.available_size()
        kv = pools.kv.size - pools.kv.available_size() - pools.tree.evictable_size()
        held[pools.slots.name] = max(held[pools.slots.name], rows)
        held[pools.kv.name] = max(held[pools.kv.name], kv // pools.kv.page_size)
        held[pools.tree.name] = max(held[pools.tree.name], pools.tree.total_size())
        if pools.host is not None:
            used = pools.host.size - pools.host.available_size()
            held[pools.host.name] = max(held[pools.host.name], used)
        if pools.features is not None:
            name = pools.features.name
            held[name] = max(held[name], pools.features.book.held_bytes)


def summarize(result: dict[str, Any]) -> str:
    """A result for a terminal: the verdict first, then a line per pool."""
    requests, invariants = result["requests"], result["invariants"]
    leaked = {name: pool["leaked"] for name, pool in result["pools"].items() if pool["leaked"]}
    clean = not invariants["violations"] and not leaked
    lines = [
        f"{requests['total']:,} requests: {requests['finished']:,} finished, "
        f"{requests['rejected']:,} rejected, {requests['aborted']:,} aborted; "
        f"{requests['retracted']:,} retractions.",
        "Nothing leaked, no invariant broken."
        if clean
        else f"BROKEN: leaked {leaked or 'nothing'}, {invariants['violations']:,} violations.",
        "",
    ]
    for name, pool in result["pools"].items():
        failed = f", {pool['failed_total']:,} not served" if pool["failed_total"] else ""
        lines.append(
            f"  {name:<14} peak {pool['peak_held']:>14,} of {pool['capacity']:>14,} "
            f"{pool['unit']}{failed}"
        )
    speed = result["sim_seconds"] / result["wall_seconds"] if result["wall_seconds"] else 0.0
    lines += [
        "",
        f"{result['sim_seconds']:,.1f} s simulated in {result['wall_seconds']:,.1f} s "
        f"({speed:,.0f}x)",
        f"result_hash {result['result_hash']}",
    ]
    return "\n".join(lines)


def _ended(driver: Driver) -> int:
    return sum(driver.ledger.counts[name] for name in ENDS)


def _result(driver: Driver, peaks: Peaks, wall_s: float) -> dict[str, Any]:
    counts, info = driver.ledger.counts, driver.workload.info
    now_s = driver.now_ns / 1e9
    return {
        "requests": {
            "total": counts["arrived_total"],
            "finished": counts["finished_total"],
            "rejected": counts["rejected_total"],
            "aborted": counts["aborted_total"],
            "retracted": counts["retracted_total"],
        },
        "pools": {
            name: _pool(pool.snapshot(now_s, "replay"), peaks.held[name])
            for name, pool in driver.pools.items()
        },
        "tokens": {
            "prompt": counts["prompt_tokens_total"],
            "prefix_hits": counts["prefix_hit_tokens_total"] if info["has_prefix_info"] else None,
            "decoded": counts["decode_tokens_total"],
        },
        "invariants": {"checked": driver.watch.checked, "violations": driver.watch.violations},
        "errors": dict(driver.ledger.errors),
        "sim_seconds": now_s,
        "wall_seconds": wall_s,
        "result_hash": driver.ledger.result_hash(),
        "trace": {
            key: info[key]
            for key in ("format", "time_unit", "arrivals", "block_size", "rows", "rows_dropped")
        },
        "notes": list(info["notes"]),
        "server": [
            {"name": row.name, "asked": row.asked, "effective": row.effective, "rule": row.rule}
            for row in driver.plan.ledger
        ],
    }


def _pool(snapshot: Any, peak: int) -> dict[str, Any]:  # noqa: ANN401 - a PoolSnapshot
    return {
        "unit": snapshot.unit,
        "capacity": snapshot.capacity,
        "peak_held": peak,
        "failed_total": sum(snapshot.counters.failures_total.values()),
        "largest_free_range": snapshot.free_ranges.largest if snapshot.free_ranges else None,
        "leaked": snapshot.leaked,
    }
