"""An SGLang server's log with `--log-requests` in its default, text form.

Among other lines, `Receive: obj=GenerateReqInput(rid='...', ...)` when a request arrives and
`Finish: obj=..., out={... 'meta_info': {...}}` when it ends, each behind a date in brackets.
Everything that is not one of the two is left alone. Texts of prompts can contain anything: ids are
taken from the front of what the server writes itself, lengths from behind the last `meta_info`.

Mirrors: sglang 0.5.23 utils/request_logger.py
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem
from app.traces.finished import OpenRequests
from app.traces.format import Format, Row
from app.traces.lines import numbered_lines

_DATE = re.compile(rb"\W?(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)")
_EVENT = re.compile(rb"\b(Receive|Finish): obj=\w+ReqInput\(")
_RID = re.compile(rb"\brid='([^']{1,200})'")
_ID = re.compile(rb"'id': '([^']{1,200})'")
_NUMBER = {
    name: re.compile(rb"'" + name.encode() + rb"': (\d{1,15}(?:\.\d+)?)\b")
    for name in ("prompt_tokens", "completion_tokens", "e2e_latency")
}


def sniff(head: bytes) -> bool:
    """A line of a request somewhere in the first mebibyte."""
    return bool(_EVENT.search(head)) and not head.lstrip().startswith(b"{")


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every request at the line where it ends."""
    under_way = OpenRequests()
    for number, line in numbered_lines(file):
        event = _EVENT.search(line) if line is not None else None
        if line is None or event is None:
            continue
        try:
            row = _request(line, event, number, under_way)
        except RowProblem as problem:
            row = problem
        if row is not None:
            yield number, row
    yield from under_way.left()


def _request(
    line: bytes, event: re.Match[bytes], number: int, under_way: OpenRequests
) -> Row | RowProblem | None:
    date = _DATE.match(line)
    time_ns = moment_ns(date[1] if date else b"", "timestamp", zone=None)
    if event[1] == b"Receive":
        rid = _RID.search(line, event.end())
        if rid is None:
            raise RowProblem("missing-field", "rid", "a request without an id")
        lost = under_way.received(rid[1].decode("utf-8", "replace"), time_ns, number)
        return lost[1] if lost is not None else None
    at = line.rfind(b"'meta_info': {")
    found = _ID.search(line, at) if at >= 0 else _RID.search(line, event.end())
    if found is None or at < 0:
        raise RowProblem("missing-field", "out.meta_info", "no lengths: it did not end as usual")
    meta: dict[str, Any] = {}
    for name, pattern in _NUMBER.items():
        value = pattern.search(line, at)
        if value is not None:
            meta[name] = float(value[1]) if b"." in value[1] else int(value[1])
    return under_way.finished(found[1].decode("utf-8", "replace"), time_ns, meta)


FORMAT = Format(
    name="sglang-server-log",
    accepts="SGLang server log with --log-requests (lines Receive: and Finish:)",
    time_unit="datetime",
    block_size=None,
    sniff=sniff,
    rows=rows,
    tried=False,
    remarks=(
        "a server with SGLANG_LOG_REQUEST_EXCEEDED_MS writes only slow requests: then the rate "
        "here is too low",
    ),
)
