"""Batch lines: what a rank printed about itself, and usage over time in constant memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.diagnose.stamp import HEAD, Stamp, line_start, read_stamp

ANCHORS = (" batch, #", " batch. #", " batch [", "GPU KV cache usage: ")
MAX_BINS = 512
MAX_RANKS = 1_024
#: readings in a row at one below the limit, with a queue, before it counts as stuck
STUCK_READINGS = 2

_BATCH = re.compile(r"(Decode|Prefill) batch(?: \[\d{1,12}\])?[.,] (#[^\r\n]{0,800})")
_VLLM = re.compile(
    r"Running: (\d{1,7}) reqs,(?: Swapped: \d{1,7} reqs,)? (?:Waiting|Pending): (\d{1,7}) reqs,"
    r" GPU KV cache usage: (\d{1,3}(?:\.\d{1,4})?)%"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One batch line. Shares are in [0, 1]; None where the line does not say.

    Attributes:
        usage_frac: of the token pool, or of the full pool where there are several.
        tokens: held by running requests.
    """

    kind: str
    stamp: Stamp
    running: int | None
    queued: int | None
    usage_frac: float | None
    swa_usage_frac: float | None = None
    mamba_usage_frac: float | None = None
    tokens: int | None = None
    retracted: int | None = None


@dataclass(slots=True)
class Bin:
    """Readings of one stretch of time: the highest of each figure."""

    at: float
    figures: dict[str, float] = field(default_factory=dict)

    def take(self, other: dict[str, float]) -> None:
        """Keep the larger of both."""
        for name, value in other.items():
            if value > self.figures.get(name, -1.0):
                self.figures[name] = value


@dataclass(slots=True)
class Usage:
    """All readings of a log, folded into at most `MAX_BINS` stretches of equal length."""

    count: int = 0
    last: Reading | None = None
    by_rank: dict[str | None, Reading] = field(default_factory=dict)
    peak_running: int = 0
    stuck: dict[str | None, int] = field(default_factory=dict)
    width_s: float = 1.0
    bins: dict[int, Bin] = field(default_factory=dict)

    def add(self, reading: Reading) -> None:
        """Take one reading."""
        self.count += 1
        self.last = reading
        rank = reading.stamp.rank
        self._watch(reading)
        if rank in self.by_rank or len(self.by_rank) < MAX_RANKS:
            self.by_rank[rank] = reading
        self.peak_running = max(self.peak_running, reading.running or 0)
        at = reading.stamp.at if reading.stamp.at is not None else float(self.count)
        figures = {
            "usage_frac": reading.usage_frac,
            "swa_usage_frac": reading.swa_usage_frac,
            "mamba_usage_frac": reading.mamba_usage_frac,
            "running": reading.running,
            "queued": reading.queued,
        }
        index = int(at // self.width_s)
        if index not in self.bins:
            if len(self.bins) >= MAX_BINS:
                self._widen()
                index = int(at // self.width_s)
            self.bins.setdefault(index, Bin(index * self.width_s))
        self.bins[index].take({name: value for name, value in figures.items() if value is not None})

    def series(self) -> list[Bin]:
        """The stretches, in order of time."""
        return [self.bins[index] for index in sorted(self.bins)]

    def of(self, rank: str | None) -> Reading | None:
        """The last reading of a rank, else of any."""
        return self.by_rank.get(rank) or self.last

    def _watch(self, reading: Reading) -> None:
        # the same count of running requests, reading after reading, while others wait
        before = self.by_rank.get(reading.stamp.rank)
        same = before is not None and before.running == reading.running
        if reading.queued and reading.running:
            self.stuck[reading.stamp.rank] = self.stuck.get(reading.stamp.rank, 0) * same + 1
        else:
            self.stuck.pop(reading.stamp.rank, None)

    def _widen(self) -> None:
        while len(self.bins) >= MAX_BINS:
            self.width_s *= 2
            folded: dict[int, Bin] = {}
            for one in self.bins.values():
                index = int(one.at // self.width_s)
                folded.setdefault(index, Bin(index * self.width_s)).take(one.figures)
            self.bins = folded


def readings(text: str, start: int, stop: int) -> Iterator[tuple[int, Reading]]:
    """Batch lines that begin in `text[start:stop]`, with their place."""
    for found in _BATCH.finditer(text, start):
        at = found.start()
        if at >= stop:
            return
        head = text[max(line_start(text, at), at - HEAD) : at]
        yield at, _sglang(found[1].lower(), found[2], read_stamp(head))


def engine_readings(text: str, start: int, stop: int) -> Iterator[tuple[int, Reading]]:
    """The same for vLLM's statistics lines."""
    for found in _VLLM.finditer(text, start):
        at = found.start()
        if at >= stop:
            return
        head = text[line_start(text, at) : at][:HEAD]
        running, waiting, percent = found.groups()
        yield (
            at,
            Reading("step", read_stamp(head), int(running), int(waiting), float(percent) / 100),
        )


def _sglang(kind: str, body: str, stamp: Stamp) -> Reading:
    fields: dict[str, str] = {}
    for part in body.split(", "):
        name, _, value = part.partition(": ")
        fields[name] = value
    return Reading(
        kind,
        stamp,
        _int(fields.get("#running-req")),
        _int(fields.get("#queue-req")),
        _float(fields.get("token usage") or fields.get("full token usage")),
        _float(fields.get("swa token usage")),
        _float(fields.get("mamba usage")),
        _int(fields.get("#token") or fields.get("#full token")),
        _int(fields.get("#retracted-req")),
    )


def _int(value: str | None) -> int | None:
    value = (value or "").strip(" ,")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None


def _float(value: str | None) -> float | None:
    try:
        number = float(value) if value else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number <= 1e6 else None
