"""Agent sessions of Claude Code, as kv-cache-tester (WEKA) records them: JSON, one conversation.

`requests` holds turns with `t` (seconds from the session's start), `in`, `out` (tokens) and
`hash_ids` (64-token blocks, the partial tail left out); a turn of type `subagent` holds turns of
its own, whose times count from its start and whose ids are its parent's. Ids count afresh in every
session. There is no absolute clock: one session replays as it was, several (one document a line)
need to be told how they start.
"""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.traces.errors import RowProblem, excerpt
from app.traces.format import MAX_SESSIONS, SESSION_ID_BITS, Format, Row
from app.traces.json_rows import json_hash_ids, json_time, json_tokens
from app.traces.lines import UTF8_BOM
from app.traces.options import ReadOptions

#: the longest published session is a tenth of this
MAX_DOCUMENT_BYTES = 256 << 20
MAX_HASH_ID = 2**SESSION_ID_BITS - 1
MAX_DEPTH = 8
_BLOCK = re.compile(rb'"block_size"\s*:\s*(\d{1,7})\b')
_SCOPE = re.compile(rb'"hash_id_scope"\s*:\s*"(\w+)"')
_TURN = re.compile(rb'"requests"\s*:\s*\[')


def sniff(head: bytes) -> bool:
    """A JSON object with a block size, and requests before the first mebibyte ends."""
    begins = head.lstrip().startswith(b"{")
    return begins and bool(_BLOCK.search(head)) and bool(_TURN.search(head))


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every turn of every session, sub-agents' where they were started, counted through."""
    number = 0
    for session, document in enumerate(_documents(file)):
        if isinstance(document, RowProblem):
            number += 1
            yield number, document
            continue
        for row in _turns(document, session, 0.0, 0):
            number += 1
            yield number, row


def _documents(file: BinaryIO) -> Iterator[dict[str, Any] | RowProblem]:
    """One document a line when the first line is one, else the whole file as one."""
    first = file.readline(MAX_DOCUMENT_BYTES).removeprefix(UTF8_BOM)
    while first and not first.strip():
        first = file.readline(MAX_DOCUMENT_BYTES)
    document = _document(first)
    if isinstance(document, RowProblem):
        yield _document(first + file.read(MAX_DOCUMENT_BYTES - len(first)), file.read(1))
        return
    yield document
    while line := file.readline(MAX_DOCUMENT_BYTES):
        if line.strip():
            yield _document(line)


def _document(text: bytes, more: bytes = b"") -> dict[str, Any] | RowProblem:
    if more:
        return RowProblem("session-too-long", "row", f"over {MAX_DOCUMENT_BYTES:,} bytes")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return RowProblem("not-json", "row", f"not JSON: {excerpt(text[:60])}")
    if not isinstance(document, dict) or not isinstance(document.get("requests"), list):
        return RowProblem("not-a-session", "requests", "no list of requests")
    return document


def _turns(
    block: dict[str, Any], session: int, start_s: float, depth: int
) -> Iterator[Row | RowProblem]:
    for turn in block["requests"]:
        try:
            yield from _turn(turn, session, start_s, depth)
        except RowProblem as problem:
            yield problem


def _turn(turn: Any, session: int, start_s: float, depth: int) -> Iterator[Row | RowProblem]:  # noqa: ANN401
    if not isinstance(turn, dict):
        raise RowProblem("not-an-object", "row", f"not a JSON object: {excerpt(turn)}")
    if session >= MAX_SESSIONS:
        raise RowProblem("too-many-sessions", "row", f"over {MAX_SESSIONS:,} sessions")
    time_s = start_s + json_time(turn, "t")
    if turn.get("type") == "subagent":
        if not isinstance(turn.get("requests"), list) or depth >= MAX_DEPTH:
            raise RowProblem("not-a-session", "requests", "no list of requests, or too deep")
        yield from _turns(turn, session, time_s, depth + 1)
        return
    yield Row(
        time_s,
        json_tokens(turn, "in", "input"),
        json_tokens(turn, "out", "output"),
        json_hash_ids(turn, "hash_ids", MAX_HASH_ID),
        session=session,
    )


def _bind(path: Path, options: ReadOptions, head: bytes) -> Format:
    del path, options
    block, scope = _BLOCK.search(head), _SCOPE.search(head)
    # an open world: whatever is not declared local is shared by the file's sessions
    local = scope is None or scope[1] == b"local"
    size = int(block[1]) if block and int(block[1]) else FORMAT.block_size
    return dataclasses.replace(FORMAT, block_size=size, hash_scope="session" if local else "file")


FORMAT = Format(
    name="agent-sessions",
    accepts="agent sessions (Claude Code, WEKA): JSON with requests of t, in, out, hash_ids",
    time_unit="s",
    block_size=64,
    sniff=sniff,
    rows=rows,
    hash_scope="session",
    remarks=(
        "turns come when they came, think time included, however long the server takes",
        "what sessions share with one another (tools, system prompt) is not visible in their ids",
    ),
    counted="request",
    bind=_bind,
)
