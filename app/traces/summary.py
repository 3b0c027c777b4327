"""From the checked rows to what is shown of a trace."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.traces import notes
from app.traces.blocks import Blocks
from app.traces.format import Format
from app.traces.info import Lengths, TraceInfo
from app.traces.scan import Scan
from app.traces.units import Unit, show_time


@dataclass(frozen=True, slots=True)
class Reading:
    """The outcome of the checking pass, with everything decided.

    Attributes:
        rows: all rows, wrong ones marked.
        trace_format: what they were read as.
        unit: of their timestamps.
        blocks: behind their hash ids; None without prefix information.
        stop: rows that are used, counted from the first.
        arrivals_ns: of the good ones among them in the file's order, the earliest at 0 [requests].
        order: sorts those by time; None when they are sorted.
    """

    rows: Scan
    trace_format: Format
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
    used = reading.used
    span_s = float(reading.arrivals_ns.max()) / 1e9
    rate = len(used) / span_s if span_s else 0.0
    ticks = used["tick"]
    first, last = (rows.first_time + _exact(tick) for tick in (ticks.min(), ticks.max()))
    return TraceInfo(
        name=rows.path.name,
        format=reading.trace_format.name,
        time_unit=unit.name,
        block_size=blocks.size if blocks else None,
        rounding=blocks.rounding if blocks else None,
        hash_scope="file" if blocks else None,
        rows=stop,
        rows_dropped=rows.dropped(stop),
        problems=tuple(text for row, text in rows.problems if row < stop),
        span_s=span_s,
        rate_per_s=rate,
        first_time=show_time(first, unit.name),
        last_time=show_time(last, unit.name),
        input_tokens=_lengths(used["input_tokens"]),
        output_tokens=_lengths(used["output_tokens"]),
        notes=(
            notes.unit_note(unit, rate, span_s),
            notes.block_note(blocks, len(used)),
            *_oddities(reading, first),
        ),
    )


def _oddities(reading: Reading, first: int | float) -> Iterator[str]:
    rows, used, stop, order = reading.rows, reading.used, reading.stop, reading.order
    if stop < len(rows):
        yield f"only the first {len(used):,} accepted rows"
    problems = [text for row, text in rows.problems if row < stop]
    yield from notes.dropped_note(rows.dropped(stop), stop, problems)
    yield from notes.order_note(reading.arrivals_ns, order)
    yield from notes.start_note(first, reading.unit, reading.blocks)
    yield from notes.arrival_notes(
        reading.arrivals_ns if order is None else reading.arrivals_ns[order]
    )
    yield from notes.same_start_note(used["same_start"])


def _exact(tick: np.float64) -> int | float:
    """Whole ticks as an int, so that they add to nanoseconds since 1970 without loss."""
    return int(tick) if float(tick).is_integer() else float(tick)


def _lengths(tokens: NDArray[np.int64]) -> Lengths:
    p50, p95 = np.quantile(tokens, (0.5, 0.95), method="inverted_cdf")
    return Lengths(int(p50), int(p95), int(tokens.max()), int(tokens.sum()))
