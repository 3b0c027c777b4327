"""Read a trace: one pass that checks every row, then streaming passes, as many as are wanted."""

from collections.abc import Iterator
from pathlib import Path

from app.traces.check import check
from app.traces.info import TraceInfo
from app.traces.options import ReadOptions
from app.traces.recognise import recognise
from app.traces.request import TraceRequest
from app.traces.stream import Stream, file_version
from app.traces.summary import summarise


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
    path: str | Path, options: ReadOptions | None = None, *, limit: int | None = None
) -> Trace:
    """Check a trace file and prepare it for streaming.

    Memory is some hundred bytes per row; prompts' hash ids are never held.

    Args:
        path: the file; its format is told from its content, gzip and Zstandard are undone.
        options: choices that the file leaves open, or that win over what it shows.
        limit: use only the first accepted rows; units and blocks are judged by the whole file.

    Raises:
        TraceError: unreadable, of no known format, wrong in more than half of its rows, or not
            replayable with these options.
        ValueError: `limit` is below 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit {limit}: give 1 or more")
    path, options = Path(path), options or ReadOptions()
    trace_format = recognise(path, options)
    version = file_version(path)
    reading = check(path, trace_format, options, limit)
    stream = Stream(
        path,
        trace_format,
        version,
        reading.rows.good[: reading.stop],
        reading.arrivals_ns,
        reading.order,
        reading.blocks.size if reading.blocks else None,
        options.hash_scope or trace_format.hash_scope,
    )
    return Trace(stream, summarise(reading))
