"""Line by line through a file of any size, in constant memory."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from app.traces.errors import RowProblem
from app.traces.format import Row

UTF8_BOM = b"\xef\xbb\xbf"
#: a prompt of 10 million tokens in blocks of 16 fits
MAX_LINE_BYTES = 8 << 20


def parsed_lines(
    file: BinaryIO, parse: Callable[[bytes], Row], *, header_lines: int = 0
) -> Iterator[tuple[int, Row | RowProblem]]:
    """Parse each line that is not blank.

    Args:
        file: open in binary mode, at its start.
        parse: turns one line without its end into a row, or raises RowProblem.
        header_lines: lines to skip at the top.

    Yields:
        line number from 1, and the row or its problem.
    """
    for number, line in numbered_lines(file):
        if number <= header_lines:
            continue
        if line is None:
            yield number, RowProblem("line-too-long", "row", f"over {MAX_LINE_BYTES:,} bytes")
            continue
        try:
            yield number, parse(line)
        except RowProblem as problem:
            yield number, problem


def numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Lines from 1 without their ends, blank ones left out; None for one that is too long."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        if number == 1:
            line = line.removeprefix(UTF8_BOM)
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif stripped := line.strip():
            yield number, stripped
