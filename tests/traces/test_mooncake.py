"""Mooncake rows: what is accepted, and the words for each thing that is not."""

import json
from typing import Any

import pytest

from app.traces.errors import RowProblem
from app.traces.format import MAX_HASH_ID
from app.traces.formats.mooncake import parse, sniff
from tests.traces.files import mooncake_row


def test_a_row_keeps_time_lengths_and_ids() -> None:
    row = parse(b'{"timestamp": 27, "input_length": 600, "output_length": 9, "hash_ids": [4, 7]}')
    assert (row.time, row.input_tokens, row.output_tokens, row.hash_ids) == (27, 600, 9, [4, 7])


def test_unknown_keys_and_any_order_are_fine() -> None:
    row = parse(
        b'{"extra": 1, "hash_ids": [0], "output_length": 1, "input_length": 1, "timestamp": 0.5}'
    )
    assert row.time == 0.5


def test_quoted_digits_are_a_timestamp_without_loss() -> None:
    line = json.dumps(mooncake_row("1760997623827495123")).encode()
    assert parse(line).time == 1760997623827495123


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"timestamp": None}, "wrong-type", "timestamp"),
        ({"timestamp": True}, "wrong-type", "timestamp"),
        ({"timestamp": "noon"}, "wrong-type", "timestamp"),
        ({"timestamp": -1}, "negative-timestamp", "timestamp"),
        ({"timestamp": 10**30}, "out-of-range", "timestamp"),
        ({"timestamp": 10**400}, "out-of-range", "timestamp"),
        ({"input_length": 0}, "zero-input-tokens", "input_length"),
        ({"input_length": -4}, "negative-tokens", "input_length"),
        ({"input_length": 12.5}, "wrong-type", "input_length"),
        ({"input_length": "12"}, "wrong-type", "input_length"),
        ({"input_length": True}, "wrong-type", "input_length"),
        ({"input_length": 2**31}, "out-of-range", "input_length"),
        ({"output_length": 0}, "zero-output-tokens", "output_length"),
        ({"hash_ids": None}, "wrong-type", "hash_ids"),
        ({"hash_ids": [1, "2"]}, "wrong-type", "hash_ids"),
        ({"hash_ids": [True]}, "wrong-type", "hash_ids"),
        ({"hash_ids": [3, -1]}, "out-of-range", "hash_ids"),
        ({"hash_ids": [MAX_HASH_ID + 1]}, "out-of-range", "hash_ids"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], reason: str, field: str) -> None:
    with pytest.raises(RowProblem) as caught:
        parse(json.dumps(mooncake_row() | changes).encode())
    assert (caught.value.reason, caught.value.field) == (reason, field)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_timestamp_that_is_no_number_is_refused(constant: str) -> None:
    line = f'{{"timestamp": {constant}, "input_length": 1, "output_length": 1, "hash_ids": [0]}}'
    with pytest.raises(RowProblem, match="timestamp") as caught:
        parse(line.encode())
    assert caught.value.reason == "not-finite"


@pytest.mark.parametrize("field", ["timestamp", "input_length", "output_length", "hash_ids"])
def test_a_missing_key_is_named(field: str) -> None:
    row = mooncake_row()
    del row[field]
    with pytest.raises(RowProblem) as caught:
        parse(json.dumps(row).encode())
    assert (caught.value.reason, caught.value.field) == ("missing-field", field)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"timestamp": 1, "input', "not-json"),
        (b"[" * 100_000, "not-json"),
        (b'{"timestamp": "\xff\xfe"}', "not-json"),
        (b'{"timestamp": ' + b"9" * 5000 + b"}", "not-json"),
        (b"[1, 2]", "not-an-object"),
        (b"7", "not-an-object"),
    ],
)
def test_a_line_that_is_no_object_is_refused(line: bytes, reason: str) -> None:
    with pytest.raises(RowProblem) as caught:
        parse(line)
    assert caught.value.reason == reason


def test_sniffing_looks_past_a_broken_first_line_but_not_at_other_json() -> None:
    assert sniff(b"{broken\n" + json.dumps(mooncake_row()).encode())
    assert not sniff(b'{"timestamp": 1, "input": "text", "output": ""}\n')
    assert not sniff(b"timestamp,input_length,output_length,hash_ids\n")
