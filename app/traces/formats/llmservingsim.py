"""Requests measured on a real server, as LLMServingSim records them: JSON Lines.

`request_id`, `input_toks`, `output_toks`, `arrival_time` (wall clock, seconds since 1970) and
`queued_ts`, `scheduled_ts`, `first_token_ts`, `last_token_ts`, which count on another, monotonic
clock: only the first is used, and no difference is taken across the two.
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.errors import RowProblem
from app.traces.format import Format, Row
from app.traces.json_rows import has_keys, json_object, json_time, json_tokens
from app.traces.lines import parsed_lines

FIELDS = ("input_toks", "output_toks", "arrival_time")


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
        json_time(row, "arrival_time"),
        json_tokens(row, "input_toks", "input"),
        json_tokens(row, "output_toks", "output"),
    )


FORMAT = Format(
    name="llmservingsim",
    accepts="LLMServingSim measured requests, JSON Lines: input_toks, output_toks, arrival_time",
    time_unit="s",
    block_size=None,
    sniff=lambda head: has_keys(head, FIELDS),
    rows=rows,
)
