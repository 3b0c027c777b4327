"""Mooncake's request traces: JSON Lines with prefix hashes.

One object a line: `timestamp` (milliseconds from the trace's start), `input_length`,
`output_length` (tokens), `hash_ids` (one id per 512-token block of the prompt, the last block
possibly partial; equal leading ids are equal leading tokens). Published with "Mooncake: Trading
More Storage for Less Computation" (FAST'25).
"""

import json
import math
from collections.abc import Iterator
from typing import Any, BinaryIO

from app.traces.errors import RowProblem, excerpt
from app.traces.fields import token_count
from app.traces.format import MAX_HASH_ID, Format, Row
from app.traces.lines import parsed_lines

FIELDS = ("timestamp", "input_length", "output_length", "hash_ids")
MAX_TIME = 2**63 - 1
SNIFFED_LINES = 20


def sniff(head: bytes) -> bool:
    """One of the first lines is an object with the four keys."""
    keys = [f'"{field}"'.encode() for field in FIELDS]
    for line in head.split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES]:
        if line.lstrip().startswith(b"{") and all(key in line for key in keys):
            return True
    return False


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line of the file as a row or as what is wrong with it."""
    return parsed_lines(file, parse)


def parse(line: bytes) -> Row:
    """One line.

    Raises:
        RowProblem: naming the key and its value.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise RowProblem("not-json", "row", f"not JSON: {excerpt(line)}") from None
    if not isinstance(row, dict):
        raise RowProblem("not-an-object", "row", f"not a JSON object: {excerpt(line)}")
    for field in FIELDS:
        if field not in row:
            raise RowProblem("missing-field", field, "missing")
    return Row(
        _time(row["timestamp"]),
        _tokens(row, "input_length", "input"),
        _tokens(row, "output_length", "output"),
        _hash_ids(row["hash_ids"]),
    )


def _time(value: Any) -> int | float:  # noqa: ANN401
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)  # some writers quote nanoseconds, which doubles cannot hold
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RowProblem("wrong-type", "timestamp", f"{excerpt(value)} is not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise RowProblem("not-finite", "timestamp", f"{value} is not a point in time")
    if value < 0:
        raise RowProblem("negative-timestamp", "timestamp", f"{excerpt(value)} is negative")
    if value > MAX_TIME:
        raise RowProblem("out-of-range", "timestamp", f"{excerpt(value)} is beyond 64 bits")
    return value


def _tokens(row: dict[str, Any], field: str, side: str) -> int:
    value = row[field]
    if isinstance(value, bool) or not isinstance(value, int):
        raise RowProblem("wrong-type", field, f"{excerpt(value)} is not a whole number")
    return token_count(value, field, side)


def _hash_ids(value: Any) -> list[int]:  # noqa: ANN401
    if not isinstance(value, list):
        raise RowProblem("wrong-type", "hash_ids", f"{excerpt(value)} is not a list")
    if not set(map(type, value)) <= {int}:
        wrong = next(one for one in value if type(one) is not int)
        raise RowProblem("wrong-type", "hash_ids", f"{excerpt(wrong)} is not a whole number")
    if value and not (min(value) >= 0 and max(value) <= MAX_HASH_ID):
        wrong = next(one for one in value if not 0 <= one <= MAX_HASH_ID)
        raise RowProblem(
            "out-of-range",
            "hash_ids",
            f"{excerpt(wrong)} is no id from 0 to 2^42 - 1: number them by first sight",
        )
    return value


FORMAT = Format(
    name="mooncake",
    accepts="Mooncake JSON Lines: timestamp (ms), input_length, output_length, hash_ids",
    time_unit="ms",
    block_size=512,
    unit_varies=True,
    sniff=sniff,
    rows=rows,
)
