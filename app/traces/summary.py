"""From the checked rows to what is shown of a trace."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.traces import notes
from app.traces.blocks import Blocks
from app.traces.format import Format
from app.traces.info import Lengths, Sharing, TraceInfo
from app.traces.opened import compression
from app.traces.options import ReadOptions
from app.traces.scan import Scan
from app.traces.units import Unit, show_time


@dataclass(frozen=True, slots=True)
class Reading:
    """The outcome of the checking pass, with everything decided.

    Attributes:
        rows: all rows, wrong ones marked.
        trace_format: what they were read as.
        options: how they were to be read.
        unit: of their timestamps.
        blocks: behind their hash ids; None without prefix information.
        stop: rows that are used, counted from the first.
        arrivals_ns: of the good ones among them in the file's order, the earliest at 0 [requests].
        order: sorts those by time; None when they are sorted.
    """

    rows: Scan
    trace_format: Format
    options: ReadOptions
    unit: Unit
    blocks: Blocks | None
    stop: int
    arrivals_ns: NDArray[np.int64]
    order: NDArray[np.int64] | None

    @property
    def used(self) -> NDArray[np.void]:
        """The rows that become requests, `ROW` [requests]."""
        return self.rows.table[: self.stop][self.rows.good[: self.stop]]


def summarise(reading: Reading) -> TraceInfo:
    """A trace in figures and sentences."""
    rows, unit, blocks, stop = reading.rows, reading.unit, reading.blocks, reading.stop
    used, options = reading.used, reading.options
    span_s = float(reading.arrivals_ns.max()) / 1e9
    rate = len(used) / span_s if span_s else 0.0
    ticks = used["tick"]
    first, last = (rows.first_time + _exact(tick) for tick in (ticks.min(), ticks.max()))
    sharing = _sharing(reading)
    return TraceInfo(
        name=rows.path.name,
        format=reading.trace_format.name,
        compression=compression(rows.path),
        time_unit=unit.name,
        arrivals=_arrivals(reading),
        block_size=blocks.size if blocks else None,
        rounding=blocks.rounding if blocks else None,
        hash_scope=(options.hash_scope or reading.trace_format.hash_scope) if blocks else None,
        hash_ids=("chained" if rows.sharing.chained else "content") if blocks else None,
        sharing=sharing,
        rows=stop,
        rows_dropped=rows.dropped(stop),
        problems=_problems(reading),
        sessions=len(np.unique(used["session"])),
        span_s=span_s,
        rate_per_s=rate,
        first_time=show_time(first, unit.name),
        last_time=show_time(last, unit.name),
        input_tokens=_lengths(used["input_tokens"]),
        output_tokens=_lengths(used["output_tokens"]),
        images=int(used["images"].sum()),
        notes=(
            *notes.unit_note(reading, rate, span_s),
            notes.block_note(reading),
            *_oddities(reading, first, sharing),
        ),
    )


def _problems(reading: Reading) -> tuple[str, ...]:
    return tuple(text for row, text in reading.rows.problems if row < reading.stop)


def _arrivals(reading: Reading) -> str:
    if reading.options.arrivals is None:
        return "spread" if reading.options.spread_ticks else "file"
    if reading.trace_format.hash_scope == "session":
        return "drawn-starts"
    return "drawn"


def _sharing(reading: Reading) -> Sharing | None:
    """What an infinite cache would find, over the rows that were judged."""
    if reading.blocks is None:
        return None
    used = reading.used
    judged = used[used["seen_blocks"] >= 0]
    seen, blocks = judged["seen_blocks"], judged["hash_count"]
    seen_tokens = np.minimum(seen * reading.blocks.size, judged["input_tokens"])
    if not blocks.any():
        return None
    later = int(np.maximum(blocks - 1, 0).sum())
    return Sharing(
        blocks_frac=float(seen.sum() / int(blocks.sum())),
        later_blocks_frac=float(np.maximum(seen - 1, 0).sum() / max(later, 1)),
        tokens_frac=float(seen_tokens.sum() / int(judged["input_tokens"].sum())),
        requests_judged=len(judged),
    )


def _oddities(reading: Reading, first: int | float, sharing: Sharing | None) -> Iterator[str]:
    rows, used, stop, order = reading.rows, reading.used, reading.stop, reading.order
    yield from reading.trace_format.remarks
    if not reading.trace_format.tried:
        yield "this reader was written from the format's description: no published file was tried"
    if stop < len(rows):
        yield f"only the first {len(used):,} accepted rows"
    yield from notes.dropped_note(rows.dropped(stop), stop, _problems(reading))
    if reading.options.arrivals is None:
        yield from notes.order_note(reading.arrivals_ns, order)
        yield from notes.start_note(first, reading.unit, reading.blocks)
        if not reading.options.spread_ticks:
            yield from notes.arrival_notes(
                reading.arrivals_ns if order is None else reading.arrivals_ns[order]
            )
    yield from notes.same_start_note(used["same_start"])
    yield from notes.copies_note(used)
    if sharing is not None and sharing.requests_judged < len(used):
        yield f"sharing is judged by the first {sharing.requests_judged:,} rows: memory is bounded"


def _exact(tick: np.float64) -> int | float:
    """Whole ticks as an int, so that they add to nanoseconds since 1970 without loss."""
    return int(tick) if float(tick).is_integer() else float(tick)


def _lengths(tokens: NDArray[np.int64]) -> Lengths:
    p50, p95 = np.quantile(tokens, (0.5, 0.95), method="inverted_cdf")
    return Lengths(int(p50), int(p95), int(tokens.max()), int(tokens.sum()))
