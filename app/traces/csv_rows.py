"""Rows of a CSV file by column name, one line each."""

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from app.traces.errors import RowProblem, excerpt
from app.traces.fields import token_count
from app.traces.format import Row
from app.traces.lines import MAX_LINE_BYTES, UTF8_BOM, parsed_lines

#: a row's cells by the header's names, without blanks around them
Cells = Mapping[str, bytes]
_WHOLE = re.compile(rb"-?\d{1,400}")


def columns(head: bytes) -> tuple[str, ...]:
    """Names in the first line of a file; none when it is no CSV line."""
    return tuple(_names(head.removeprefix(UTF8_BOM).split(b"\n", 1)[0]))


def named_rows(
    file: BinaryIO, parse: Callable[[Cells], Row]
) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it.

    Args:
        file: at its start; its first line is the header.
        parse: turns cells into a row, or raises RowProblem.
    """
    names = columns(file.readline(MAX_LINE_BYTES))

    def parse_line(line: bytes) -> Row:
        cells = _cells(line)
        if len(cells) != len(names):
            raise RowProblem(
                "wrong-column-count", "row", f"{len(cells)} columns instead of {len(names)}"
            )
        return parse(dict(zip(names, cells, strict=True)))

    for number, row in parsed_lines(file, parse_line):
        yield number + 1, row


def first_row(head: bytes) -> dict[str, bytes]:
    """The first line below the header by name, as far as it goes; empty without one."""
    lines = head.removeprefix(UTF8_BOM).split(b"\n", 2)
    if len(lines) < 2:
        return {}
    try:
        return dict(zip(columns(head), _cells(lines[1].strip()), strict=False))
    except RowProblem:
        return {}


def cell_tokens(cells: Cells, field: str, side: str) -> int:
    """A length that a request can have.

    Raises:
        RowProblem: no whole number, or out of range.
    """
    return token_count(whole(cells, field), field, side)


def whole(cells: Cells, field: str) -> int:
    """A whole number.

    Raises:
        RowProblem: it is something else.
    """
    text = cells[field]
    if not text:
        raise RowProblem("missing-field", field, "empty")
    if not _WHOLE.fullmatch(text):
        raise RowProblem("wrong-type", field, f"{excerpt(text)} is not a whole number")
    return int(text)


def number_cell(cells: Cells, field: str) -> int | float:
    """A point in time as a number; whole ones without loss.

    Raises:
        RowProblem: no number, not finite, negative or beyond 64 bits.
    """
    text = cells[field]
    if not text:
        raise RowProblem("missing-field", field, "empty")
    if _WHOLE.fullmatch(text):
        value: int | float = int(text)
    else:
        try:
            value = float(text)
        except ValueError:
            raise RowProblem("bad-timestamp", field, f"{excerpt(text)} is not a number") from None
    return point_in_time(value, field)


def point_in_time(value: int | float, field: str) -> int | float:
    """The value, when it can be a point in time.

    Raises:
        RowProblem: not finite, negative or beyond 64 bits.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise RowProblem("not-finite", field, f"{value} is not a point in time")
    if value < 0:
        raise RowProblem("negative-timestamp", field, f"{excerpt(value)} is negative")
    if value >= 2**63:
        raise RowProblem("out-of-range", field, f"{excerpt(value)} is beyond 64 bits")
    return value


def _names(line: bytes) -> list[str]:
    try:
        return [cell.decode("utf-8", "replace") for cell in _cells(line.strip())]
    except RowProblem:
        return []


def _cells(line: bytes) -> list[bytes]:
    if b'"' not in line:
        return [cell.strip() for cell in line.split(b",")]
    try:
        quoted = next(csv.reader([line.decode("utf-8", "surrogateescape")], strict=True))
    except (csv.Error, StopIteration):
        raise RowProblem("bad-quotes", "row", f"quotes do not match: {excerpt(line)}") from None
    return [cell.strip().encode("utf-8", "surrogateescape") for cell in quoted]
