"""Vidur's processed traces: CSV with arrivals in seconds.

Header `arrived_at,num_prefill_tokens,num_decode_tokens`; seconds from the start of the whole trace.
Published with "Vidur: A Large-Scale Simulation Framework for LLM Inference" (MLSys 2024).
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows, number_cell
from app.traces.errors import RowProblem
from app.traces.format import Format, Row

COLUMNS = ("arrived_at", "num_prefill_tokens", "num_decode_tokens")


def sniff(head: bytes) -> bool:
    """The header has the three columns."""
    return set(COLUMNS) <= set(columns(head))


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value.
    """
    return Row(
        number_cell(cells, "arrived_at"),
        cell_tokens(cells, "num_prefill_tokens", "input"),
        cell_tokens(cells, "num_decode_tokens", "output"),
    )


FORMAT = Format(
    name="vidur",
    accepts=f"vidur CSV with the columns {','.join(COLUMNS)}",
    time_unit="s",
    block_size=None,
    sniff=sniff,
    rows=rows,
)
