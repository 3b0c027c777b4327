"""Azure rows: seven digits, no zone, and the words for what is wrong."""

import datetime
import io

import pytest

from app.traces.errors import RowProblem
from app.traces.format import Row
from app.traces.formats.azure2023 import COLUMNS, rows, sniff


def parse(line: bytes) -> Row:
    (number, row), *rest = rows(io.BytesIO(",".join(COLUMNS).encode() + b"\r\n" + line))
    assert (number, rest) == (2, [])
    if isinstance(row, RowProblem):
        raise row
    return row


def test_a_row_keeps_all_seven_digits() -> None:
    row = parse(b"2023-05-04 10:00:00.0000007,374,44")
    moment = datetime.datetime(2023, 5, 4, 10, tzinfo=datetime.UTC)
    assert row.time == int(moment.timestamp()) * 10**9 + 700
    assert (row.input_tokens, row.output_tokens, row.hash_ids) == (374, 44, None)


def test_a_time_without_fraction_is_whole_seconds() -> None:
    assert parse(b"1970-01-02 00:00:01,1,1").time == 86_401 * 10**9


@pytest.mark.parametrize(
    ("line", "reason", "field"),
    [
        (b"2023-05-04 10:00:00,1", "wrong-column-count", "row"),
        (b"2023-05-04 10:00:00,1,2,3", "wrong-column-count", "row"),
        (b",1,2", "missing-field", "TIMESTAMP"),
        (b"04.05.2023 10:00,1,2", "bad-timestamp", "TIMESTAMP"),
        (b"2023-02-30 10:00:00,1,2", "bad-timestamp", "TIMESTAMP"),
        (b"2023-05-04 24:00:00,1,2", "bad-timestamp", "TIMESTAMP"),
        (b"2023-05-04 10:00:60,1,2", "bad-timestamp", "TIMESTAMP"),
        (b"2023-05-04 10:00:00.5+00:00,1,2", "time-zone", "TIMESTAMP"),
        (b"2023-05-04 10:00:00,,2", "missing-field", "ContextTokens"),
        (b"2023-05-04 10:00:00,1.5,2", "wrong-type", "ContextTokens"),
        (b"2023-05-04 10:00:00,0,2", "zero-input-tokens", "ContextTokens"),
        (b"2023-05-04 10:00:00,-3,2", "negative-tokens", "ContextTokens"),
        (b"2023-05-04 10:00:00,1,0", "zero-output-tokens", "GeneratedTokens"),
        (b"2023-05-04 10:00:00,1,99999999999999999999", "out-of-range", "GeneratedTokens"),
        (b"2023-05-04 10:00:00,1,\xd9\xa3", "wrong-type", "GeneratedTokens"),
    ],
)
def test_a_wrong_field_is_named(line: bytes, reason: str, field: str) -> None:
    with pytest.raises(RowProblem) as caught:
        parse(line)
    assert (caught.value.reason, caught.value.field) == (reason, field)


def test_sniffing_wants_the_exact_header() -> None:
    assert sniff(b"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023")
    assert not sniff(b"TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\r\n")
