"""The checking pass: every row of a file once, kept as a few bytes per row."""

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.traces.errors import RowProblem, TraceError, place
from app.traces.format import Format, Row

PROBLEMS_KEPT = 20
OK = ""


@dataclass(slots=True)
class Scan:
    """What the checking pass keeps, one entry per row in the file's order.

    Attributes:
        path: the file.
        first_time: timestamp of the first good row, in the file's ticks.
        ticks: timestamp less `first_time`, float64 [rows]; 0 for wrong rows.
        input_tokens: int64 [rows]; output_tokens, hash_counts likewise; 0 for wrong rows.
        lines: line number, int64 [rows].
        codes: index into `reasons`, uint8 [rows]; 0 is a good row.
        reasons: names of what is wrong; the first is "".
        shared_first: good rows whose first hash id is that of the first good row.
        problems: row index and words of the first wrong rows.
    """

    path: Path
    first_time: int | float = 0
    ticks: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    input_tokens: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    output_tokens: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    hash_counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    lines: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    codes: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    reasons: list[str] = field(default_factory=lambda: [OK])
    shared_first: int = 0
    problems: list[tuple[int, str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def good(self) -> NDArray[np.bool_]:
        """Rows that can be requests, bool [rows]."""
        return np.equal(self.codes, 0)

    def code(self, reason: str) -> int:
        """The number of a reason, new or known."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason)

    def reject(
        self, rows: NDArray[np.int64], reason: str, field_name: str, words: list[str]
    ) -> None:
        """Mark good rows as wrong after all.

        Args:
            rows: their indices, ascending.
            reason: they are counted under.
            field_name: that is wrong.
            words: what is wrong with each of the first `PROBLEMS_KEPT` of them.
        """
        self.codes[rows] = self.code(reason)
        for row, text in zip(rows.tolist(), words, strict=False):
            where = place(self.path, int(self.lines[row]), field_name)
            self.problems.append((row, f"{where}: {text}"))
        self.problems = sorted(self.problems)[:PROBLEMS_KEPT]

    def dropped(self, stop: int) -> dict[str, int]:
        """Wrong rows among the first `stop`, by reason, most frequent first."""
        counts = np.bincount(self.codes[:stop], minlength=len(self.reasons))[1:]
        pairs = [(name, int(n)) for name, n in zip(self.reasons[1:], counts, strict=True) if n]
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def scan(path: Path, trace_format: Format) -> Scan:
    """Read and check every row.

    Raises:
        TraceError: no row at all, or the file cannot be read.
    """
    result = Scan(path)
    ticks, codes = array("d"), array("B")
    numbers = {name: array("q") for name in ("lines", "inputs", "outputs", "hashes")}
    first: Row | None = None
    with path.open("rb") as file:
        for line, row in trace_format.rows(file):
            numbers["lines"].append(line)
            if isinstance(row, RowProblem):
                if len(result.problems) < PROBLEMS_KEPT:
                    result.problems.append((len(codes), f"{place(path, line, None)}: {row}"))
                codes.append(result.code(row.reason))
                ticks.append(0.0)
                _append(numbers, 0, 0, 0)
                continue
            first = first or row
            codes.append(0)
            ticks.append(row.time - first.time)
            hashes = row.hash_ids or ()
            _append(numbers, row.input_tokens, row.output_tokens, len(hashes))
            if hashes and first.hash_ids and hashes[0] == first.hash_ids[0]:
                result.shared_first += 1
    if not codes:
        raise TraceError(path, "the file has no rows", "give a trace with at least one request")
    result.first_time = first.time if first else 0
    result.ticks = np.frombuffer(ticks, np.float64)
    result.codes = np.frombuffer(codes, np.uint8)
    result.lines, result.input_tokens, result.output_tokens, result.hash_counts = (
        np.frombuffer(column, np.int64) for column in numbers.values()
    )
    return result


def _append(numbers: dict[str, "array[int]"], inputs: int, outputs: int, hashes: int) -> None:
    numbers["inputs"].append(inputs)
    numbers["outputs"].append(outputs)
    numbers["hashes"].append(hashes)
