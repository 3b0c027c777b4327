"""Mooncake's request traces: JSON Lines with prefix hashes.

One object a line: `timestamp` (milliseconds from the trace's start), `input_length`,
`output_length` (tokens), `hash_ids` (one id per 512-token block of the prompt, the last block
possibly partial; equal leading ids are equal leading tokens). Published with "Mooncake: Trading
More Storage for Less Computation" (FAST'25).
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.errors import RowProblem
from app.traces.format import MAX_HASH_ID, Format, Row
from app.traces.json_rows import has_keys, json_hash_ids, json_object, json_time, json_tokens
from app.traces.lines import parsed_lines

FIELDS = ("timestamp", "input_length", "output_length", "hash_ids")


def sniff(head: bytes) -> bool:
    """One of the first lines is an object with the four keys, and with no chat that it follows."""
    return has_keys(head, FIELDS) and not has_keys(head, ("parent_chat_id",))


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line of the file as a row or as what is wrong with it."""
    return parsed_lines(file, parse)


def parse(line: bytes) -> Row:
    """One line.

    Raises:
        RowProblem: naming the key and its value.
    """
    row = json_object(line, FIELDS)
    return Row(
        json_time(row, "timestamp"),
        json_tokens(row, "input_length", "input"),
        json_tokens(row, "output_length", "output"),
        json_hash_ids(row, "hash_ids", MAX_HASH_ID),
    )


FORMAT = Format(
    name="mooncake",
    accepts="Mooncake JSON Lines: timestamp (ms), input_length, output_length, hash_ids",
    time_unit="ms",
    block_size=512,
    sniff=sniff,
    rows=rows,
    unit_varies=True,
)
