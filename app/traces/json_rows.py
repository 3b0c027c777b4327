"""Rows of a JSON Lines file, one object each."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.traces.csv_rows import point_in_time
from app.traces.errors import RowProblem, excerpt
from app.traces.fields import token_count

SNIFFED_LINES = 20


def has_keys(head: bytes, fields: Iterable[str]) -> bool:
    """Whether one of the first lines begins an object and spells all these keys."""
    keys = [f'"{field}"'.encode() for field in fields]
    for line in head.split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES]:
        if line.lstrip().startswith(b"{") and all(key in line for key in keys):
            return True
    return False


def json_object(line: bytes, fields: Iterable[str] = ()) -> dict[str, Any]:
    """A line's object.

    Args:
        line: one line without its end.
        fields: keys that it must have.

    Raises:
        RowProblem: no JSON, no object, or a key is missing.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise RowProblem("not-json", "row", f"not JSON: {excerpt(line)}") from None
    if not isinstance(row, dict):
        raise RowProblem("not-an-object", "row", f"not a JSON object: {excerpt(line)}")
    for field in fields:
        if field not in row:
            raise RowProblem("missing-field", field, "missing")
    return row


def json_tokens(row: Mapping[str, Any], field: str, side: str) -> int:
    """A length that a request can have.

    Raises:
        RowProblem: no whole number, or out of range.
    """
    value = row.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RowProblem("wrong-type", field, f"{excerpt(value)} is not a whole number")
    return token_count(value, field, side)


def json_time(row: Mapping[str, Any], field: str) -> int | float:
    """A point in time as a number, or as digits in quotes.

    Raises:
        RowProblem: it is something else, negative, or beyond 64 bits.
    """
    value = row.get(field)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)  # some writers quote nanoseconds, which doubles cannot hold
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RowProblem("wrong-type", field, f"{excerpt(value)} is not a number")
    return point_in_time(value, field)


def json_hash_ids(row: Mapping[str, Any], field: str, largest: int) -> list[int]:
    """Hash ids from 0 to `largest`.

    Raises:
        RowProblem: no list of whole numbers, or one out of range.
    """
    value = row.get(field)
    if not isinstance(value, list):
        raise RowProblem("wrong-type", field, f"{excerpt(value)} is not a list")
    if not set(map(type, value)) <= {int}:
        wrong = next(one for one in value if type(one) is not int)
        raise RowProblem("wrong-type", field, f"{excerpt(wrong)} is not a whole number")
    if value and not (min(value) >= 0 and max(value) <= largest):
        wrong = next(one for one in value if not 0 <= one <= largest)
        bits = largest.bit_length()
        raise RowProblem(
            "out-of-range",
            field,
            f"{excerpt(wrong)} is no id from 0 to 2^{bits} - 1: number them by first sight",
        )
    return value
