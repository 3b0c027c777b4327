"""The streaming pass: accepted rows as requests, in order of arrival."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.traces.errors import RowProblem, TraceError
from app.traces.format import Format, Row, scoped_ids
from app.traces.opened import open_trace
from app.traces.order import reordered
from app.traces.request import TraceRequest


@dataclass(frozen=True, slots=True)
class Stream:
    """What the checking pass found, as far as reading the rows again needs it.

    Attributes:
        path: the file.
        trace_format: how to read it.
        version: size and modification time that were checked.
        keep: rows that become requests, bool [rows].
        arrivals_ns: of the kept rows in the file's order, the earliest at 0, int64 [kept].
        order: sorts the kept rows by arrival; None when they are sorted.
        block_tokens: tokens per hash id; None without prefix information.
        hash_scope: `session` when ids count afresh in every one.
    """

    path: Path
    trace_format: Format
    version: tuple[int, int]
    keep: NDArray[np.bool_]
    arrivals_ns: NDArray[np.int64]
    order: NDArray[np.int64] | None
    block_tokens: int | None
    hash_scope: str

    def requests(self) -> Iterator[TraceRequest]:
        """Requests in order of arrival, numbered from 0.

        Raises:
            TraceError: while iterating, when the file is not the one that was checked.
        """
        rows, arrivals = self._kept_rows(), self.arrivals_ns
        if self.order is not None:
            rows, arrivals = reordered(rows, self.order), arrivals[self.order]
        for rid, (row, arrival_ns) in enumerate(zip(rows, arrivals, strict=True)):
            hash_ids = row.hash_ids
            if hash_ids is not None and self.hash_scope == "session":
                hash_ids = scoped_ids(hash_ids, row.session)
            yield TraceRequest(
                rid,
                int(arrival_ns),
                row.input_tokens,
                row.output_tokens,
                tuple(hash_ids) if hash_ids is not None else None,
                self.block_tokens if hash_ids is not None else None,
                row.image_bytes,
            )

    def _kept_rows(self) -> Iterator[Row]:
        if file_version(self.path) != self.version:
            raise self._changed()
        left = len(self.arrivals_ns)
        with open_trace(self.path) as file:
            for kept, (_, row) in zip(self.keep, self.trace_format.rows(file), strict=False):
                if not kept:
                    continue
                if isinstance(row, RowProblem):
                    raise self._changed()
                left -= 1
                yield row
        if left:
            raise self._changed()

    def _changed(self) -> TraceError:
        return TraceError(self.path, "the file changed since it was checked", "load it again")


def file_version(path: Path) -> tuple[int, int]:
    """Size in bytes and time of the last change in nanoseconds; zeros when it is gone."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
