"""From the checked rows to what is shown of a trace."""

import numpy as np
from numpy.typing import NDArray

from app.traces import notes
from app.traces.blocks import Blocks
from app.traces.format import Format
from app.traces.info import Lengths, TraceInfo
from app.traces.scan import Scan
from app.traces.units import Unit, show_time


def summarise(
    rows: Scan,
    trace_format: Format,
    unit: Unit,
    blocks: Blocks | None,
    arrivals_ns: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    stop: int,
) -> TraceInfo:
    """The first `stop` rows in figures and sentences.

    Args:
        rows: all rows, wrong ones marked.
        trace_format: what they were read as.
        unit: of their timestamps.
        blocks: behind their hash ids; None without prefix information.
        arrivals_ns: of the good ones among the first `stop`, in the file's order [n].
        order: sorts those by time; None when they are sorted.
        stop: rows that are used.
    """
    used = rows.table[:stop][rows.good[:stop]]
    ticks = used["tick"]
    span_s = float(arrivals_ns.max()) / 1e9
    rate = len(arrivals_ns) / span_s if span_s else 0.0
    first, last = (rows.first_time + _exact(tick) for tick in (ticks.min(), ticks.max()))
    dropped = rows.dropped(stop)
    in_order = arrivals_ns if order is None else arrivals_ns[order]
    cut = [f"only the first {len(ticks):,} accepted rows"] if stop < len(rows) else []
    return TraceInfo(
        name=rows.path.name,
        format=trace_format.name,
        time_unit=unit.name,
        block_size=blocks.size if blocks else None,
        rounding=blocks.rounding if blocks else None,
        hash_scope="file" if blocks else None,
        rows=stop,
        rows_dropped=dropped,
        problems=tuple(text for row, text in rows.problems if row < stop),
        span_s=span_s,
        rate_per_s=rate,
        first_time=show_time(first, unit.name),
        last_time=show_time(last, unit.name),
        input_tokens=_lengths(used["input_tokens"]),
        output_tokens=_lengths(used["output_tokens"]),
        notes=(
            notes.unit_note(unit, rate, span_s),
            notes.block_note(blocks, len(ticks)),
            *cut,
            *notes.dropped_note(dropped, stop),
            *notes.order_note(arrivals_ns, order),
            *notes.start_note(first, unit, blocks),
            *notes.arrival_notes(in_order),
            *notes.same_start_note(used["same_start"]),
        ),
    )


def _exact(tick: np.float64) -> int | float:
    """Whole ticks as an int, so that they add to nanoseconds since 1970 without loss."""
    return int(tick) if float(tick).is_integer() else float(tick)


def _lengths(tokens: NDArray[np.int64]) -> Lengths:
    p50, p95 = np.quantile(tokens, (0.5, 0.95), method="inverted_cdf")
    return Lengths(int(p50), int(p95), int(tokens.max()), int(tokens.sum()))
