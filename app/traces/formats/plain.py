"""Plain CSV for people's own logs: `t,in,out` and, if there are any, `images`.

Columns in any order, others are left alone. `t` is a number in any unit, or missing: then arrivals
must be drawn. `images` counts them; `image_bytes` gives their sizes, with blanks between.
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from app.traces.csv_rows import Cells, cell_tokens, columns, named_rows, number_cell
from app.traces.errors import RowProblem, excerpt
from app.traces.fields import IMAGE_REMARK, MAX_IMAGES, images_of
from app.traces.format import Format, Row
from app.traces.options import ReadOptions

NEEDED = ("in", "out")
MAX_IMAGE_BYTES = 1 << 40


def sniff(head: bytes) -> bool:
    """The header has both lengths."""
    return set(NEEDED) <= set(columns(head))


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line below the header as a row or as what is wrong with it."""
    return named_rows(file, parse)


def parse(cells: Cells) -> Row:
    """One line.

    Raises:
        RowProblem: naming the column and its value.
    """
    return Row(
        number_cell(cells, "t") if "t" in cells else 0,
        cell_tokens(cells, "in", "input"),
        cell_tokens(cells, "out", "output"),
        image_bytes=_images(cells),
    )


def _images(cells: Cells) -> tuple[int, ...]:
    if "image_bytes" not in cells:
        return images_of(cells.get("images", b""), "images")
    sizes = cells["image_bytes"].split()
    for size in sizes:
        if not size.isdigit() or len(size) > 15 or not 0 < int(size) <= MAX_IMAGE_BYTES:
            raise RowProblem(
                "bad-image-size", "image_bytes", f"{excerpt(size)} is no number of bytes"
            )
    if len(sizes) > MAX_IMAGES:
        raise RowProblem("bad-image-count", "image_bytes", f"over {MAX_IMAGES} images")
    return tuple(int(size) for size in sizes)


def _bind(path: Path, options: ReadOptions, head: bytes) -> Format:
    del path, options
    names, bound = columns(head), FORMAT
    if "t" not in names:
        bound = dataclasses.replace(bound, time_unit="none")
    if "images" in names and "image_bytes" not in names:
        bound = dataclasses.replace(bound, remarks=(IMAGE_REMARK,))
    return bound


FORMAT = Format(
    name="plain",
    accepts="plain CSV with the header t,in,out[,images]",
    time_unit="s",
    block_size=None,
    sniff=sniff,
    rows=rows,
    unit_varies=True,
    bind=_bind,
)
