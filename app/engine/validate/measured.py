"""A measured run of a real server: its limits, its requests, and what it reported each second.

A run is a folder of three files: `meta.json` (engine settings), `requests.jsonl` (lengths and
times) and `timeseries.csv` (running, waiting, KV usage). A request's arrival is on the wall clock,
its other times are on a monotonic one; the two are never subtracted from each other.
"""

from dataclasses import dataclass
from pathlib import Path

BLOCK_SIZE = 16
FILES = ("meta.json", "requests.jsonl", "timeseries.csv")


class RunError(ValueError):
    """A folder that is no measured run, or a field of it that cannot be used."""

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        super().__init__(f"{place}: {problem}; {remedy}")
        self.place, self.problem, self.remedy = place, problem, remedy


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server was started with; each number is of one rank.

    Attributes:
        ranks: data-parallel ranks, each with a pool and a queue of its own.
        max_num_seqs: requests that run at once.
        max_num_batched_tokens: tokens of one step.
        max_model_len: prompt and output together, tokens; None: not recorded.
        block_size: tokens of a page.
        kv_tokens: capacity, tokens; None: not recorded.
    """

    ranks: int
    max_num_seqs: int
    max_num_batched_tokens: int
    max_model_len: int | None
    block_size: int
    kv_tokens: int | None

    @property
    def max_running(self) -> int:
        """Requests that run at once over all ranks."""
        return self.max_num_seqs * self.ranks


@dataclass(frozen=True, slots=True)
class MeasuredRequest:
    """One request; times in seconds from the run's first of the same clock.

    Attributes:
        arrival_s: wall clock, from the first arrival.
        wait_s: from the server's queue to its first step.
        scheduled_s, first_token_s, last_token_s: monotonic clock, from the first entry of a queue.
    """

    input_tokens: int
    output_tokens: int
    arrival_s: float
    wait_s: float
    scheduled_s: float
    first_token_s: float
    last_token_s: float


@dataclass(frozen=True, slots=True)
class Tick:
    """What the server said of itself at `t_s`; throughputs in tokens per second.

    `occupancy_frac` is None where the server does not report it.
    """

    t_s: float
    prompt_per_s: float
    output_per_s: float
    running: int
    waiting: int
    occupancy_frac: float | None


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run; requests in order of arrival, ticks in order of time."""

    name: str
    model: str
    path: Path
    limits: Limits
    requests: tuple[MeasuredRequest, ...]
    ticks: tuple[Tick, ...]
    notes: tuple[str, ...]

    @property
    def half_s(self) -> float:
        """The middle of what was recorded."""
        return self.ticks[-1].t_s / 2
