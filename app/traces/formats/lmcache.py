"""LMCache's agent traces: JSON Lines of text, without token counts.

`timestamp` (microseconds since 1970, often out of order), `input`, `output`, `session_id`. Every
input repeats the whole history, so prefixes can be compared: four characters are taken as a token,
and every 64 of those as a block with a hash of all text up to its end.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from app.traces.errors import RowProblem, excerpt
from app.traces.format import Format, Row
from app.traces.json_rows import has_keys, json_object, json_time
from app.traces.lines import parsed_lines

FIELDS = ("timestamp", "input", "output", "session_id")
CHARACTERS_PER_TOKEN = 4
BLOCK_TOKENS = 64
BLOCK_CHARACTERS = CHARACTERS_PER_TOKEN * BLOCK_TOKENS
#: bytes of a hash id: 40 bits
HASH_BYTES = 5


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line of the file as a row or as what is wrong with it."""
    return parsed_lines(file, parse)


def parse(line: bytes) -> Row:
    """One line.

    Raises:
        RowProblem: naming the key and its value.
    """
    row = json_object(line, FIELDS)
    prompt, answer = _text(row, "input"), _text(row, "output")
    if not prompt:
        raise RowProblem("zero-input-tokens", "input", "empty")
    return Row(
        json_time(row, "timestamp"),
        estimated_tokens(prompt),
        estimated_tokens(answer),
        _hash_ids(prompt),
    )


def estimated_tokens(text: str) -> int:
    """Whole tokens of a text at four characters each, at least the one that ends it."""
    return max(1, len(text) // CHARACTERS_PER_TOKEN)


def _hash_ids(text: str) -> list[int]:
    digest, ids = hashlib.blake2b(digest_size=HASH_BYTES), []
    for end in range(BLOCK_CHARACTERS, len(text) + 1, BLOCK_CHARACTERS):
        block = text[end - BLOCK_CHARACTERS : end]
        digest.update(block.encode("utf-8", "surrogatepass"))
        ids.append(int.from_bytes(digest.copy().digest(), "little"))
    return ids


def _text(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if not isinstance(value, str):
        raise RowProblem("wrong-type", field, f"{excerpt(value)} is no text")
    return value


FORMAT = Format(
    name="lmcache",
    accepts="LMCache agent traces, JSON Lines: timestamp, input, output, session_id",
    time_unit="us",
    block_size=BLOCK_TOKENS,
    sniff=lambda head: has_keys(head, FIELDS),
    rows=rows,
    remarks=(
        f"token counts are an estimate: {CHARACTERS_PER_TOKEN} characters are taken as a token, "
        "and an empty output as one",
        "hash ids are made here from the text, so that repeated history counts as shared",
    ),
)
