"""The checking pass: every row judged, and everything about the file decided."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.traces import arrivals
from app.traces.blocks import Blocks, decide_blocks
from app.traces.errors import TraceError
from app.traces.format import Format
from app.traces.options import ReadOptions, poisson_rate
from app.traces.order import peak_waiting, time_order
from app.traces.recognise import accepted
from app.traces.scan import Scan
from app.traces.summary import Reading
from app.traces.unit_names import NS_PER_TICK, WORDS
from app.traces.units import Unit, decide_unit

#: hash ids that may wait for earlier arrivals further down in a file, some 150 MB
MAX_WAITING_IDS = 4_000_000
MAX_SPAN_NS = 1 << 62
NS_PER_YEAR = 3.156e16


def check(path: Path, trace_format: Format, options: ReadOptions, limit: int | None) -> Reading:
    """Read every row once and decide unit, blocks, arrivals and order.

    Raises:
        TraceError: the file cannot be replayed, or not with these options.
    """
    check_overrides(path, trace_format, options)
    scope = options.hash_scope or trace_format.hash_scope
    rows = Scan(path, trace_format, scope)
    _refuse_if_mostly_wrong(rows, trace_format)
    unit = _unit(rows, trace_format, options)
    blocks = _blocks(rows, trace_format, options)
    _refuse_if_mostly_wrong(rows, trace_format)
    stop = _stop(rows.good, limit)
    kept = rows.table[:stop][rows.good[:stop]]
    arrivals_ns = _arrivals(path, trace_format, kept, unit, options)
    order = time_order(arrivals_ns)
    reading = Reading(rows, trace_format, options, unit, blocks, stop, arrivals_ns, order)
    if order is not None and peak_waiting(order, 1 + reading.used["hash_count"]) > MAX_WAITING_IDS:
        raise TraceError(path, "rows are too far out of order of time", "sort them by timestamp")
    return reading


def check_overrides(path: Path, trace_format: Format, options: ReadOptions) -> None:
    """Options that contradict the format.

    Raises:
        TraceError: naming the option.
    """
    name = trace_format.name
    if options.time_unit is not None and trace_format.time_unit in ("datetime", "none"):
        what = (
            "spells its timestamps as dates" if trace_format.time_unit == "datetime" else "has none"
        )
        raise TraceError(path, f"{name} {what}", "leave time_unit out")
    if trace_format.block_size is None:
        for option in ("block_size", "rounding", "hash_scope"):
            if getattr(options, option) is not None:
                raise TraceError(path, f"{name} has no prefix information", f"leave {option} out")
    if options.hash_scope == "session" and trace_format.hash_scope == "file":
        raise TraceError(path, f"{name} names no sessions", "leave hash_scope out")
    if trace_format.time_unit == "none" and options.arrivals is None:
        raise TraceError(
            path,
            f"{name} has no arrival times",
            "say how requests arrive: --arrivals poisson:RATE, in requests per second",
        )
    if options.window is not None and not trace_format.has_rates:
        raise TraceError(path, f"{name} is no table of rates", "leave window out")
    if options.spread_ticks and options.arrivals is not None:
        raise TraceError(path, "drawn arrivals share no ticks", "leave spread_ticks out")


def _refuse_if_mostly_wrong(rows: Scan, trace_format: Format) -> None:
    dropped = rows.dropped(len(rows))
    wrong = sum(dropped.values())
    if wrong * 2 <= len(rows):
        return
    reason, count = next(iter(dropped.items()))
    raise TraceError(
        rows.path,
        f"{wrong:,} of {len(rows):,} rows are wrong, most often {reason} ({count:,}); "
        f"the first: {rows.problems[0][1]}",
        f"it was read as {trace_format.name}; {accepted()}",
    )


def _unit(rows: Scan, trace_format: Format, options: ReadOptions) -> Unit:
    documented = trace_format.time_unit
    if documented == "none":
        return Unit("none", "")
    if not trace_format.unit_varies:
        told = options.time_unit
        return Unit(told or documented, "as told" if told else "")
    ticks = rows.table["tick"][rows.good]
    return decide_unit(ticks, rows.first_time, documented, options.time_unit)


def _blocks(rows: Scan, trace_format: Format, options: ReadOptions) -> Blocks | None:
    """The block size; rows that it does not fit are rejected."""
    if trace_format.block_size is None:
        return None
    good = np.flatnonzero(rows.good)
    inputs, counts = rows.table["input_tokens"][good], rows.table["hash_count"][good]
    blocks = decide_blocks(
        inputs, counts, trace_format.block_size, options.block_size, options.rounding
    )
    misfits = good[~blocks.fits]
    words: Iterator[str] = (
        f"{row['hash_count']:,} ids do not fit {row['input_tokens']:,} tokens in blocks of "
        f"{blocks.size}"
        for row in rows.table[misfits]
    )
    rows.reject(misfits, "block-count-mismatch", "hash_ids", words)
    return blocks


def _stop(good: NDArray[np.bool_], limit: int | None) -> int:
    """Rows up to and including the last one that `limit` accepts."""
    if limit is None or int(good.sum()) <= limit:
        return len(good)
    return int(np.flatnonzero(good)[limit - 1]) + 1


def _arrivals(
    path: Path, trace_format: Format, kept: NDArray[np.void], unit: Unit, options: ReadOptions
) -> NDArray[np.int64]:
    """Arrivals of the kept rows in the file's order, the earliest at 0, nanoseconds.

    Raises:
        TraceError: several sessions without a common clock, or more than 64 bits can say.
    """
    rate = poisson_rate(options.arrivals)
    if trace_format.hash_scope == "session":
        return _of_sessions(path, kept, unit, rate, options.seed)
    if rate is not None:
        return arrivals.poisson(len(kept), rate, options.seed)
    found = _since_first(path, kept["tick"], unit)
    if options.spread_ticks:
        order = np.argsort(found, kind="stable")
        found[order] = arrivals.spread(found[order])
    return found


def _of_sessions(
    path: Path, kept: NDArray[np.void], unit: Unit, rate: float | None, seed: int
) -> NDArray[np.int64]:
    """Turns keep their distances; one session starts at 0, several where they are drawn to."""
    found = _since_first(path, kept["tick"], unit)
    sessions = int(kept["session"].max()) + 1
    if sessions == 1:
        return found
    if rate is None:
        raise TraceError(
            path,
            f"{sessions:,} sessions that share no clock",
            "say how they start: --arrivals poisson:RATE, in sessions per second",
        )
    first = np.full(sessions, MAX_SPAN_NS, np.int64)
    np.minimum.at(first, kept["session"], found)
    moved: NDArray[np.int64] = (
        found - first[kept["session"]] + arrivals.poisson(sessions, rate, seed)[kept["session"]]
    )
    moved -= moved.min()
    return moved


def _since_first(path: Path, ticks: NDArray[np.float64], unit: Unit) -> NDArray[np.int64]:
    span_ns = (ticks - ticks.min()) * NS_PER_TICK[unit.name]
    if float(span_ns.max()) > MAX_SPAN_NS:
        years = float(span_ns.max()) / NS_PER_YEAR
        raise TraceError(
            path,
            f"the timestamps, read as {WORDS.get(unit.name, 'dates')}, span {years:,.0f} years",
            "give their unit with time_unit, or correct them",
        )
    found: NDArray[np.int64] = np.rint(span_ns).astype(np.int64)
    return found
