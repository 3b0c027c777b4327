"""The checking pass: every row of a file once, kept as a few bytes per row."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.traces.errors import RowProblem, TraceError, place
from app.traces.format import Format, Row, scoped_ids
from app.traces.opened import open_trace
from app.traces.sharing import Sharing

PROBLEMS_KEPT = 20

#: one row of a file. `tick` is its timestamp less that of the first good row; `reason` an index
#: into `Scan.reasons`, 0 for a good row; `same_start` whether its first hash id is that of the
#: first good row; `seen_blocks` its leading blocks that an earlier row had, -1 when not judged.
#: All but line and reason are 0 in a wrong row.
ROW = np.dtype(
    [
        ("tick", np.float64),
        ("line", np.int64),
        ("input_tokens", np.int64),
        ("output_tokens", np.int64),
        ("hash_count", np.int64),
        ("seen_blocks", np.int64),
        ("images", np.int64),
        ("session", np.int32),
        ("reason", np.uint8),
        ("same_start", np.bool_),
    ]
)


class Scan:
    """What the checking pass keeps of a file.

    Attributes:
        path: the file.
        table: `ROW` [rows], in the file's order.
        first_time: timestamp of the first good row, in the file's ticks; 0 without any.
        sharing: what the rows' prefixes have in common.
        reasons: names of what can be wrong with a row; the first is "" for nothing.
        problems: index and words of the first wrong rows, in order.
    """

    def __init__(self, path: Path, trace_format: Format, hash_scope: str) -> None:
        """Read and check every row.

        Args:
            path: the file.
            trace_format: how to read it.
            hash_scope: `file` or `session`.

        Raises:
            TraceError: there is none, or the file is damaged.
        """
        self.path = path
        self._format = trace_format
        self._by_session = hash_scope == "session"
        self.sharing = Sharing()
        self.first_time: int | float = 0
        self.reasons = [""]
        self.problems: list[tuple[int, str]] = []
        with open_trace(path) as file:
            self.table: NDArray[np.void] = np.fromiter(self._records(trace_format.rows(file)), ROW)
        if not len(self.table):
            raise TraceError(path, "the file has no rows", "give a trace with a request or more")

    def __len__(self) -> int:
        return len(self.table)

    @property
    def good(self) -> NDArray[np.bool_]:
        """Rows that can be requests, bool [rows]."""
        good: NDArray[np.bool_] = self.table["reason"] == 0
        return good

    def reject(
        self, rows: NDArray[np.int64], reason: str, field: str, words: Iterator[str]
    ) -> None:
        """Mark good rows as wrong after all.

        Args:
            rows: their indices, ascending.
            reason: they are counted under.
            field: that is wrong.
            words: what is wrong with each of them; read only as far as they are kept.
        """
        self.table["reason"][rows] = self._code(reason)
        for row, text in zip(rows[:PROBLEMS_KEPT].tolist(), words, strict=False):
            where = place(self.path, int(self.table["line"][row]), field, self._format.counted)
            self.problems.append((row, f"{where}: {text}"))
        self.problems = sorted(self.problems)[:PROBLEMS_KEPT]

    def dropped(self, stop: int) -> dict[str, int]:
        """Wrong rows among the first `stop`, by reason, most frequent first."""
        counts = np.bincount(self.table["reason"][:stop], minlength=len(self.reasons))
        found = zip(self.reasons[1:], counts[1:].tolist(), strict=True)
        pairs = [(reason, count) for reason, count in found if count]
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

    def _records(self, rows: Iterator[tuple[int, Row | RowProblem]]) -> Iterator[tuple[Any, ...]]:
        start: list[int] | None = None
        for index, (line, row) in enumerate(rows):
            if isinstance(row, RowProblem):
                if len(self.problems) < PROBLEMS_KEPT:
                    where = place(self.path, line, None, self._format.counted)
                    self.problems.append((index, f"{where}: {row}"))
                yield (0.0, line, 0, 0, 0, 0, 0, 0, self._code(row.reason), False)
                continue
            hashes = row.hash_ids or ()
            if self._by_session:
                hashes = scoped_ids(hashes, row.session)
            if start is None:
                self.first_time, start = row.time, list(hashes[:1])
            yield (
                row.time - self.first_time,
                line,
                row.input_tokens,
                row.output_tokens,
                len(hashes),
                self.sharing.take(hashes),
                len(row.image_bytes),
                row.session,
                0,
                bool(hashes) and start == [hashes[0]],
            )

    def _code(self, reason: str) -> int:
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason)
