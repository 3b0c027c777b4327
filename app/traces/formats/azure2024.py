"""The Azure LLM inference traces of 2024: the columns of 2023, with a time zone.

Times such as `2024-05-10 00:00:00.009930+00:00`; the fraction is missing where it is zero.
Published with "DynamoLLM" (HPCA 2025).
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows
from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem
from app.traces.format import Format, Row
from app.traces.formats.azure2023 import COLUMNS, has_zone


def sniff(head: bytes) -> bool:
    """The first line is the header, and the first time says its zone."""
    return columns(head) == COLUMNS and has_zone(head)


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value.
    """
    return Row(
        moment_ns(cells["TIMESTAMP"], "TIMESTAMP", zone=True),
        cell_tokens(cells, "ContextTokens", "input"),
        cell_tokens(cells, "GeneratedTokens", "output"),
    )


FORMAT = Format(
    name="azure2024",
    accepts="Azure 2024 CSV, the same with times that end in +00:00",
    time_unit="datetime",
    block_size=None,
    sniff=sniff,
    rows=rows,
    tried=False,
)
