"""The Azure multimodal inference trace: like 2024, with a count of images.

Header `TIMESTAMP,NumImages,ContextTokens,GeneratedTokens`; times such as
`2024-10-15T12:00:00.269Z`. Sizes of images are not in it.
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows
from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem
from app.traces.fields import IMAGE_REMARK, images_of
from app.traces.format import Format, Row

COLUMNS = ("TIMESTAMP", "NumImages", "ContextTokens", "GeneratedTokens")


def sniff(head: bytes) -> bool:
    """The first line is the header."""
    return columns(head) == COLUMNS


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
        image_bytes=images_of(cells["NumImages"], "NumImages"),
    )


FORMAT = Format(
    name="azure-multimodal",
    accepts=f"Azure multimodal CSV with the header {','.join(COLUMNS)}",
    time_unit="datetime",
    block_size=None,
    sniff=sniff,
    rows=rows,
    tried=False,
    remarks=(IMAGE_REMARK,),
)
