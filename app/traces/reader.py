"""Read a trace: one pass that checks every row, then streaming passes, as many as are wanted."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.traces.blocks import Blocks, decide_blocks
from app.traces.errors import TraceError
from app.traces.format import Format
from app.traces.info import TraceInfo
from app.traces.order import peak_waiting, time_order
from app.traces.recognise import accepted, recognise
from app.traces.request import TraceRequest
from app.traces.scan import Scan
from app.traces.stream import Stream, file_version
from app.traces.summary import Reading, summarise
from app.traces.units import NS_PER_TICK, WORDS, Unit, decide_unit

MAX_BLOCK_TOKENS = 1 << 20
#: hash ids that may wait for earlier arrivals further down in a file, some 150 MB
MAX_WAITING_IDS = 4_000_000
MAX_SPAN_NS = 1 << 62
NS_PER_YEAR = 3.156e16


class Trace:
    """A trace that was checked and can be streamed any number of times.

    Attributes:
        info: what it turned out to be.
    """

    def __init__(self, stream: Stream, info: TraceInfo) -> None:
        self.info = info
        self._stream = stream

    def __len__(self) -> int:
        return self.info.requests

    def __iter__(self) -> Iterator[TraceRequest]:
        return self._stream.requests()

    @property
    def requests(self) -> Iterator[TraceRequest]:
        """A fresh iterator in order of arrival; the first request arrives at 0.

        Raises:
            TraceError: while iterating, when the file changed since it was checked.
        """
        return self._stream.requests()


def read_trace(
    path: str | Path,
    *,
    limit: int | None = None,
    time_unit: str | None = None,
    block_size: int | None = None,
) -> Trace:
    """Check a trace file and prepare it for streaming.

    Memory is a few dozen bytes per row; prompts' hash ids are never held.

    Args:
        path: the file; its format is told from its content.
        limit: use only the first accepted rows; units and blocks are judged by the whole file.
        time_unit: ns, us, ms or s instead of the detected unit.
        block_size: tokens per hash id instead of the detected one.

    Raises:
        TraceError: unreadable, of no known format, or wrong in more than half of its rows.
        ValueError: an argument out of range.
    """
    path = Path(path)
    _check_arguments(limit, time_unit, block_size)
    trace_format = recognise(path)
    _check_overrides(path, trace_format, time_unit, block_size)
    version = file_version(path)
    reading = _check(path, trace_format, limit, time_unit, block_size)
    stream = Stream(
        path,
        trace_format,
        version,
        reading.rows.good[: reading.stop],
        reading.arrivals_ns,
        reading.order,
        reading.blocks.size if reading.blocks else None,
    )
    return Trace(stream, summarise(reading))


def _check(
    path: Path,
    trace_format: Format,
    limit: int | None,
    time_unit: str | None,
    block_size: int | None,
) -> Reading:
    rows = Scan(path, trace_format)
    _refuse_if_mostly_wrong(rows, trace_format)
    ticks = rows.table["tick"][rows.good]
    unit = decide_unit(ticks, rows.first_time, trace_format.time_unit, time_unit)
    blocks = _blocks(rows, trace_format, block_size)
    _refuse_if_mostly_wrong(rows, trace_format)
    stop = _stop(rows.good, limit)
    arrivals_ns = _arrivals(rows, rows.good[:stop], unit)
    order = time_order(arrivals_ns)
    reading = Reading(rows, trace_format, unit, blocks, stop, arrivals_ns, order)
    if order is not None and peak_waiting(order, 1 + reading.used["hash_count"]) > MAX_WAITING_IDS:
        raise TraceError(path, "rows are too far out of order of time", "sort them by timestamp")
    return reading


def _check_arguments(limit: int | None, time_unit: str | None, block_size: int | None) -> None:
    if limit is not None and limit < 1:
        raise ValueError(f"limit {limit}: give 1 or more")
    if time_unit is not None and time_unit not in WORDS:
        raise ValueError(f"time_unit {time_unit!r}: give one of {', '.join(WORDS)}")
    if block_size is not None and not 0 < block_size <= MAX_BLOCK_TOKENS:
        raise ValueError(f"block_size {block_size}: give 1 to {MAX_BLOCK_TOKENS:,} tokens")


def _check_overrides(
    path: Path, trace_format: Format, time_unit: str | None, block_size: int | None
) -> None:
    if time_unit is not None and trace_format.time_unit == "datetime":
        raise TraceError(
            path, f"{trace_format.name} spells its timestamps as dates", "leave time_unit out"
        )
    if block_size is not None and trace_format.block_size is None:
        raise TraceError(
            path, f"{trace_format.name} has no prefix information", "leave block_size out"
        )


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


def _blocks(rows: Scan, trace_format: Format, override: int | None) -> Blocks | None:
    """The block size; rows that it does not fit are rejected."""
    if trace_format.block_size is None:
        return None
    good = np.flatnonzero(rows.good)
    inputs, counts = rows.table["input_tokens"][good], rows.table["hash_count"][good]
    blocks = decide_blocks(inputs, counts, trace_format.block_size, override)
    misfits = good[~blocks.fits]
    words = (
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


def _arrivals(rows: Scan, keep: NDArray[np.bool_], unit: Unit) -> NDArray[np.int64]:
    """Arrivals of the kept rows in the file's order, the earliest at 0, nanoseconds.

    Raises:
        TraceError: they span more than 64 bits can say.
    """
    ticks = rows.table["tick"][: len(keep)][keep]
    span_ns = (ticks - ticks.min()) * NS_PER_TICK[unit.name]
    if float(span_ns.max()) > MAX_SPAN_NS:
        years = float(span_ns.max()) / NS_PER_YEAR
        raise TraceError(
            rows.path,
            f"the timestamps, read as {WORDS.get(unit.name, 'dates')}, span {years:,.0f} years",
            "give their unit with time_unit, or correct them",
        )
    arrivals: NDArray[np.int64] = np.rint(span_ns).astype(np.int64)
    return arrivals
