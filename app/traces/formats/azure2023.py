"""The Azure LLM inference trace of 2023: CSV, one request a line, no prefix information.

Header `TIMESTAMP,ContextTokens,GeneratedTokens`; CRLF line ends and none after the last row; times
such as `2023-11-16 18:17:03.9799600` with seven digits and no time zone. Published with "Splitwise"
(ISCA 2024).
"""

import datetime
import re
from collections.abc import Iterator
from typing import BinaryIO

from app.traces.errors import RowProblem, excerpt
from app.traces.fields import token_count
from app.traces.format import Format, Row
from app.traces.lines import parsed_lines

HEADER = b"TIMESTAMP,ContextTokens,GeneratedTokens"
COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
DAY_S = 86_400
_TIME = re.compile(rb"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(.*)", re.DOTALL)
_WHOLE = re.compile(rb"-?\d{1,400}")


def sniff(head: bytes) -> bool:
    """The first line is the header."""
    return head.split(b"\n", 1)[0].strip() == HEADER


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return parsed_lines(file, parse, header_lines=1)


def parse(line: bytes) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value.
    """
    cells = line.split(b",")
    if len(cells) != len(COLUMNS):
        raise RowProblem(
            "wrong-column-count", "row", f"{len(cells)} columns instead of {len(COLUMNS)}"
        )
    return Row(
        _time_ns(cells[0].strip()),
        _tokens(cells[1].strip(), "ContextTokens", "input"),
        _tokens(cells[2].strip(), "GeneratedTokens", "output"),
    )


def _time_ns(text: bytes) -> int:
    match = _TIME.fullmatch(text)
    if match is None:
        reason = "bad-timestamp" if text else "missing-field"
        raise RowProblem(reason, "TIMESTAMP", f"{excerpt(text)} is not YYYY-MM-DD hh:mm:ss.f")
    if match[8]:
        raise RowProblem(
            "time-zone", "TIMESTAMP", f"{excerpt(text)} goes on after the time; 2023 has no zone"
        )
    year, month, day, hour, minute, second = (int(match[part]) for part in range(1, 7))
    try:
        days = datetime.date(year, month, day).toordinal() - EPOCH_DAY
    except ValueError:
        raise RowProblem("bad-timestamp", "TIMESTAMP", f"{excerpt(text)}: no such day") from None
    if hour > 23 or minute > 59 or second > 59:
        raise RowProblem("bad-timestamp", "TIMESTAMP", f"{excerpt(text)}: no such time of day")
    seconds = days * DAY_S + hour * 3600 + minute * 60 + second
    return seconds * 10**9 + int((match[7] or b"").ljust(9, b"0"))


def _tokens(text: bytes, field: str, side: str) -> int:
    if not text:
        raise RowProblem("missing-field", field, "empty")
    if not _WHOLE.fullmatch(text):
        raise RowProblem("wrong-type", field, f"{excerpt(text)} is not a whole number")
    return token_count(int(text), field, side)


FORMAT = Format(
    name="azure2023",
    accepts=f"Azure 2023 CSV with the header {HEADER.decode()}",
    time_unit="datetime",
    block_size=None,
    sniff=sniff,
    rows=rows,
)
