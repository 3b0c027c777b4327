"""Batch lines: what a rank printed about itself, and usage over time in constant memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.diagnose.stamp import HEAD, Stamp, line_start, read_stamp, stamp_of_line

ANCHORS = (" batch, #", " batch. #", " batch [", "GPU KV cache usage: ")
#: what a stretch of time keeps
FIGURES = ("usage_frac", "swa_usage_frac", "mamba_usage_frac", "running", "queued")
MAX_BINS = 512
MAX_RANKS = 1_024
#: readings in a row at one below the limit, with a queue, before it counts as stuck
STUCK_READINGS = 2

_BATCH = re.compile(r"(Decode|Prefill) batch(?: \[\d{1,12}\])?[.,] (#[^\r\n]{0,800})")
#: the line of a plain decode batch, which is nearly all of a log
_DECODE = re.compile(r"#running-req: (\d{1,9}), #token: (\d{1,18}), token usage: (\d\.\d{1,6}), ")
_QUEUE = re.compile(r"#queue-req: (\d{1,9})")
_VLLM = re.compile(
    r"Running: (\d{1,7}) reqs,(?: Swapped: \d{1,7} reqs,)? (?:Waiting|Pending): (\d{1,7}) reqs,"
    r" GPU KV cache usage: (\d{1,3}(?:\.\d{1,4})?)%"
)


@dataclass(slots=True)
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
    """Readings of one stretch of time: the highest of each figure, in the order of `FIGURES`."""

    at: float
    highest: list[float] = field(default_factory=lambda: [-1.0] * len(FIGURES))

    @property
    def figures(self) -> dict[str, float]:
        """Those that any reading had."""
        return {
            name: value for name, value in zip(FIGURES, self.highest, strict=True) if value >= 0
        }

    def take(self, reading: "Reading") -> None:
        """Keep the larger of each."""
        highest = self.highest
        # written out: this runs for every line of a log
        if (usage := reading.usage_frac) is not None and usage > highest[0]:
            highest[0] = usage
        if (swa := reading.swa_usage_frac) is not None and swa > highest[1]:
            highest[1] = swa
        if (mamba := reading.mamba_usage_frac) is not None and mamba > highest[2]:
            highest[2] = mamba
        if (running := reading.running) is not None and running > highest[3]:
            highest[3] = running
        if (queued := reading.queued) is not None and queued > highest[4]:
            highest[4] = queued

    def merge(self, other: "Bin") -> None:
        """Keep the larger of each of both."""
        self.highest = list(map(max, self.highest, other.highest))


@dataclass(slots=True)
class Usage:
    """All readings of a log, folded into at most `MAX_BINS` stretches of equal length."""

    count: int = 0
    last: Reading | None = None
    by_rank: dict[str | None, Reading] = field(default_factory=dict)
    stuck: dict[str | None, int] = field(default_factory=dict)
    width_s: float = 1.0
    bins: dict[int, Bin] = field(default_factory=dict)

    def add(self, reading: Reading) -> None:
        """Take one reading."""
        self.count += 1
        self.last = reading
        rank, at = reading.stamp.rank, reading.stamp.at
        self._watch(reading)
        if rank in self.by_rank or len(self.by_rank) < MAX_RANKS:
            self.by_rank[rank] = reading
        if at is None:
            at = float(self.count)
        one = self.bins.get(int(at // self.width_s))
        if one is None:
            one = self._begin(at)
        one.take(reading)

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

    def _begin(self, at: float) -> Bin:
        while len(self.bins) >= MAX_BINS:
            self.width_s *= 2
            folded: dict[int, Bin] = {}
            for one in self.bins.values():
                index = int(one.at // self.width_s)
                folded.setdefault(index, Bin(index * self.width_s)).merge(one)
            self.bins = folded
        index = int(at // self.width_s)
        return self.bins.setdefault(index, Bin(index * self.width_s))


def readings(text: str, start: int, stop: int) -> Iterator[tuple[int, Reading]]:
    """Batch lines that begin in `text[start:stop]`, with their place."""
    lone = "\r" in text
    for found in _BATCH.finditer(text, start):
        at = found.start()
        if at >= stop:
            return
        begin = line_start(text, at) if lone else text.rfind("\n", max(0, at - HEAD), at) + 1
        kind, body = found.groups()
        stamp = stamp_of_line(text, begin, at)
        yield at, _sglang("decode" if kind == "Decode" else "prefill", body, stamp)


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
    plain = _DECODE.match(body)
    if plain is not None:
        end = plain.end()
        if body.find("usage", end) < 0 and body.find("#retr", end) < 0:
            running, tokens, usage = plain.groups()
            queue = _QUEUE.search(body, end)
            queued = int(queue[1]) if queue else None
            return Reading(kind, stamp, int(running), queued, float(usage), None, None, int(tokens))
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
