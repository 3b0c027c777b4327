"""ServeGen's client tables: rates per window, length distributions per six hours."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.traces.errors import RowProblem, TraceError, excerpt

WINDOW_S = 600
LENGTHS_S = 21_600
MAX_RATE = 20_000.0
MAX_TABLE_BYTES = 256 << 20
SHAPES = (b"Gamma", b"Weibull", b"")
_ENTRY = r"\s*(-?[\d.eE+-]+)\s*:\s*([\d.eE+-]+)\s*"
_PAIR = re.compile(_ENTRY)
_LITERAL = re.compile(rf"\{{(?:{_ENTRY}(?:,{_ENTRY})*,?\s*)?\}}")


@dataclass(frozen=True, slots=True)
class Window:
    """Ten minutes of one client.

    Attributes:
        start_s: on the table's clock.
        rate: requests per second.
        family: of the gaps' distribution: `Gamma`, `Weibull` or "" for exponential.
        shape: of that distribution; its scale is not used, the rate decides.
    """

    start_s: float
    rate: float
    family: str
    shape: float

    def arrivals_s(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Arrivals inside the window: gaps of the fitted shape, scaled so that `count` fill it."""
        if self.family == "Gamma":
            gaps = rng.gamma(self.shape, 1.0, count + 1)
        elif self.family == "Weibull":
            gaps = rng.weibull(self.shape, count + 1)
        else:
            gaps = rng.exponential(1.0, count + 1)
        total = float(gaps.sum())
        if not total > 0:  # a shape so small that every gap underflows
            return np.full(count, self.start_s)
        inside: NDArray[np.float64] = self.start_s + np.cumsum(gaps)[:-1] * (WINDOW_S / total)
        return inside


def parse_window(line: bytes) -> Window:
    """One line: start, rate, variation, family, shape, scale.

    Raises:
        RowProblem: naming the column and its value.
    """
    cells = [cell.strip() for cell in line.split(b",")]
    if len(cells) != 6:
        raise RowProblem("wrong-column-count", "row", f"{len(cells)} columns instead of 6")
    start, rate = _finite(cells[0], "t"), _finite(cells[1], "rate")
    shape = _finite(cells[4], "shape")
    if rate > MAX_RATE:
        raise RowProblem("out-of-range", "rate", f"{rate:g} is beyond {MAX_RATE:,.0f} req/s")
    if cells[3] not in SHAPES:
        raise RowProblem("unknown-distribution", "family", f"{excerpt(cells[3])} is not modelled")
    if rate and cells[3] and not 0 < shape <= 1e6:
        raise RowProblem("out-of-range", "shape", f"{shape:g} is no shape")
    return Window(start, rate, cells[3].decode(), shape)


class LengthTables:
    """Token lengths of one client: a distribution per field and six hours."""

    def __init__(self, path: Path) -> None:
        """Read `chunk-N-dataset.json`.

        Raises:
            TraceError: missing, too large, or no such table.
        """
        self.path = path
        try:
            if path.stat().st_size > MAX_TABLE_BYTES:
                raise TraceError(path, f"over {MAX_TABLE_BYTES:,} bytes", "give a smaller client")
            found = json.loads(path.read_bytes())
        except OSError as error:
            raise TraceError(
                path,
                f"the client's length table cannot be read: {error.strerror}",
                "put it beside the table of rates",
            ) from error
        except (ValueError, RecursionError) as error:
            raise TraceError(path, f"not JSON: {error}", "fetch it again") from error
        if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
            raise TraceError(path, "no table of lengths by time", "give the client's dataset file")
        self._texts: dict[str, dict[str, Any]] = found
        self._parsed: dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    def names(self, field: str) -> bool:
        """Whether the tables have this field at any time."""
        return any(field in texts for texts in self._texts.values())

    def fields(self, t_s: float) -> set[str]:
        """Fields that have a distribution at this time."""
        return {name for name, text in self._at(t_s).items() if text not in (None, "", "{}")}

    def draw(
        self, t_s: float, field: str, count: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """`count` lengths of the field's distribution at this time.

        Raises:
            TraceError: its text is no distribution.
        """
        values, weights = self._distribution(t_s, field)
        drawn: NDArray[np.int64] = np.rint(rng.choice(values, count, p=weights)).astype(np.int64)
        return drawn

    def _at(self, t_s: float) -> dict[str, Any]:
        return self._texts.get(str(int(t_s) // LENGTHS_S * LENGTHS_S), {})

    def _distribution(
        self, t_s: float, field: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        key = (str(int(t_s) // LENGTHS_S * LENGTHS_S), field)
        if key not in self._parsed:
            try:
                self._parsed[key] = parse_distribution(self._at(t_s)[field])
            except ValueError as error:
                where = f"{field} at {key[0]} s: {error}"
                raise TraceError(self.path, where, "fetch the file again") from None
        return self._parsed[key]


def parse_distribution(text: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values and weights, which sum to 1, of `{value: weight, ...}` as text; nothing is evaluated.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(text, str) or not _LITERAL.fullmatch(text.strip()):
        raise ValueError(f"{excerpt(text)} is no {{value: weight}} table")
    pairs = np.array([(float(v), float(w)) for v, w in _PAIR.findall(text)], np.float64)
    if not len(pairs):
        raise ValueError("the table is empty")
    values, weights = pairs[:, 0], pairs[:, 1]
    total = float(weights.sum())
    if not (np.isfinite(pairs).all() and (weights >= 0).all() and total > 0):
        raise ValueError("weights are no shares")
    return values, weights / total


def _finite(text: bytes, field: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise RowProblem("wrong-type", field, f"{excerpt(text)} is not a number") from None
    if not np.isfinite(value) or value < 0:
        raise RowProblem("out-of-range", field, f"{excerpt(text)} is no number from 0 up")
    return value
