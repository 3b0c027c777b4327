"""BurstGPT: CSV by column name, failures among its rows.

Columns `Timestamp` (seconds from midnight of the first day), `Model`, `Request tokens`, `Response
tokens`, `Total tokens`, `Log Type`; later files put `Session ID` and `Elapsed time` in between. A
request that failed has no response tokens. Published with "BurstGPT" (KDD 2025).
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows, number_cell, whole
from app.traces.errors import RowProblem
from app.traces.format import Format, Row

COLUMNS = ("Timestamp", "Request tokens", "Response tokens")


def sniff(head: bytes) -> bool:
    """The header has the three columns, wherever they stand."""
    return set(COLUMNS) <= set(columns(head))


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value; `failed-request` for one that was not answered.
    """
    time = number_cell(cells, "Timestamp")
    if whole(cells, "Response tokens") == 0:
        asked = whole(cells, "Request tokens")
        raise RowProblem("failed-request", "Response tokens", f"0 for {asked:,} request tokens")
    return Row(
        time,
        cell_tokens(cells, "Request tokens", "input"),
        cell_tokens(cells, "Response tokens", "output"),
    )


FORMAT = Format(
    name="burstgpt",
    accepts=f"BurstGPT CSV with the columns {','.join(COLUMNS)}",
    time_unit="s",
    block_size=None,
    sniff=sniff,
    rows=rows,
)
