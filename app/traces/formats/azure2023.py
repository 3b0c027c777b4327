"""The Azure LLM inference trace of 2023: CSV, one request a line, no prefix information.

Header `TIMESTAMP,ContextTokens,GeneratedTokens`; CRLF line ends and none after the last row; times
such as `2023-11-16 18:17:03.9799600` with seven digits and no time zone. Published with "Splitwise"
(ISCA 2024).
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, first_row, named_rows
from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem
from app.traces.format import Format, Row

COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
#: how the time of a later year ends
ZONE_ENDS = (b"Z", b"+00:00")


def sniff(head: bytes) -> bool:
    """The first line is the header, and the first time has no zone."""
    return columns(head) == COLUMNS and not has_zone(head)


def has_zone(head: bytes) -> bool:
    """Whether the first row's time says its zone."""
    return first_row(head).get("TIMESTAMP", b"").endswith(ZONE_ENDS)


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value.
    """
    return Row(
        moment_ns(cells["TIMESTAMP"], "TIMESTAMP", zone=False),
        cell_tokens(cells, "ContextTokens", "input"),
        cell_tokens(cells, "GeneratedTokens", "output"),
    )


FORMAT = Format(
    name="azure2023",
    accepts=f"Azure 2023 CSV with the header {','.join(COLUMNS)}",
    time_unit="datetime",
    block_size=None,
    sniff=sniff,
    rows=rows,
)
