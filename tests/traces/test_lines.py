"""Line by line: ends, blanks, marks and lines without end."""

import io

import pytest

from app.traces import lines
from app.traces.errors import RowProblem
from app.traces.format import Row


def _parse(line: bytes) -> Row:
    return Row(len(line), 1, 1)


def _read(content: bytes, header_lines: int = 0) -> list[tuple[int, int | str]]:
    found = lines.parsed_lines(io.BytesIO(content), _parse, header_lines=header_lines)
    return [
        (number, row.reason if isinstance(row, RowProblem) else int(row.time))
        for number, row in found
    ]


def test_line_ends_of_both_kinds_blank_lines_and_a_missing_last_end() -> None:
    assert _read(b"aa\r\n\r\n\nbbb\nc") == [(1, 2), (4, 3), (5, 1)]


def test_the_header_is_skipped_by_line_number() -> None:
    assert _read(b"\xef\xbb\xbfhead\n\nrow", header_lines=1) == [(3, 3)]


def test_a_byte_order_mark_belongs_to_no_row() -> None:
    assert _read(b"\xef\xbb\xbfab") == [(1, 2)]


def test_a_line_without_end_is_one_wrong_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 8)
    assert _read(b"ok\n" + b"x" * 50 + b"\nok\n") == [(1, 2), (2, "line-too-long"), (3, 2)]
    assert _read(b"x" * 50) == [(1, "line-too-long")]
    assert _read(b"1234567\nok") == [(1, 7), (2, 2)]
