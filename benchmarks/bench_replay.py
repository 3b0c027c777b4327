"""A headless replay of conversation traffic on the real pools, memory checked, books audited."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.engine.replay import replay as run_replay
from app.sizing.server_args import ServerArgs
from benchmarks.figure import Figure
from benchmarks.sample_trace import write_sample

LEAST_PER_S = 600.0
SAMPLE_REQUESTS = 2000
SERVER = ServerArgs(
    max_running_requests=2048, page_size=64, max_total_tokens=1 << 20, chunked_prefill_size=8192
)


def bench() -> Iterator[Figure]:
    """Requests per second of wall time, with the memory check and without."""
    with tempfile.TemporaryDirectory() as folder:
        trace = mooncake() or sample(Path(folder))
        checked = run_replay(trace, SERVER)
        unchecked = run_replay(trace, replace(SERVER, memory_check=False))
    total = checked["requests"]["total"]
    note = f"{total:,} requests of {trace.name}, {sum(checked['errors'].values())} errors"
    yield Figure("replay", rate(checked), "req/s", target=LEAST_PER_S, note=note)
    yield Figure("replay without memory check", rate(unchecked), "req/s")
    speed = checked["sim_seconds"] / checked["wall_seconds"]
    yield Figure("simulated time against wall time", speed, "x")
    wrong = checked["invariants"]["violations"]
    checks = f"{checked['invariants']['checked']:,} checks"
    yield Figure("violated invariants", wrong, "", target=0, bound="at most", note=checks)


def rate(result: dict[str, Any]) -> float:
    """Requests per second of wall time."""
    return float(result["requests"]["total"] / result["wall_seconds"])


def mooncake() -> Path | None:
    """The real conversation trace, when POOLSCOPE_DATA holds it."""
    folder = os.environ.get("POOLSCOPE_DATA")
    found = sorted(Path(folder).glob("traces/mooncake/conversation*.jsonl")) if folder else []
    return found[0] if found else None


def sample(folder: Path) -> Path:
    """A trace of our own making."""
    path = folder / "own-sample.jsonl"
    write_sample(path, SAMPLE_REQUESTS)
    return path


BENCH = bench
