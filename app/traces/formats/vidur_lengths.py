"""Vidur's length files: CSV of prompt and output lengths, without arrivals.

Header `num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio`.
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows
from app.traces.errors import RowProblem
from app.traces.format import Format, Row

COLUMNS = ("num_prefill_tokens", "num_decode_tokens")


def sniff(head: bytes) -> bool:
    """The header has both lengths and no arrival."""
    names = columns(head)
    return set(COLUMNS) <= set(names) and "arrived_at" not in names


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line; its time means nothing.

    Raises:
        RowProblem: naming the column and its value.
    """
    return Row(
        0,
        cell_tokens(cells, "num_prefill_tokens", "input"),
        cell_tokens(cells, "num_decode_tokens", "output"),
    )


FORMAT = Format(
    name="vidur-lengths",
    accepts=f"vidur CSV of lengths only ({','.join(COLUMNS)}), with --arrivals",
    time_unit="none",
    block_size=None,
    sniff=sniff,
    rows=rows,
)
