"""An SGLang server's request log: `--log-requests --log-requests-format json`, JSON Lines.

`event` is `request.received` or `request.finished`; `timestamp` is local, ISO; the lengths are in
`out.meta_info` of the second. Levels 0 to 3 of `--log-requests-level` all do.

Mirrors: sglang 0.5.23 utils/request_logger.py
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem, excerpt
from app.traces.finished import OpenRequests
from app.traces.format import Format, Row
from app.traces.json_rows import SNIFFED_LINES, has_keys, json_object
from app.traces.lines import numbered_lines

FIELDS = ("timestamp", "event", "rid")
RECEIVED, FINISHED = "request.received", "request.finished"


def sniff(head: bytes) -> bool:
    """One of the first lines is an event of a request."""
    lines = head.split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES]
    return any(has_keys(line, FIELDS) and b'"request.' in line for line in lines)


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every request at the line where it ends; lines of other events are left alone."""
    under_way = OpenRequests()
    for number, line in numbered_lines(file):
        try:
            yield from ((number, row) for row in _line(line, number, under_way))
        except RowProblem as problem:
            yield number, problem
    yield from under_way.left()


def _line(line: bytes | None, number: int, under_way: OpenRequests) -> Iterator[Row | RowProblem]:
    if line is None:
        raise RowProblem("line-too-long", "row", "a request with a very long text")
    entry = json_object(line)
    event = entry.get("event")
    if not isinstance(event, str) or not event.startswith((RECEIVED, FINISHED)):
        return
    time_ns = moment_ns(str(entry.get("timestamp", "")).encode(), "timestamp", zone=None)
    rids = _rids(entry)
    if event.startswith(RECEIVED):
        for rid in rids:
            lost = under_way.received(rid, time_ns, number)
            if lost is not None:
                yield lost[1]
        return
    for rid, meta in zip(rids, _metas(entry, len(rids)), strict=True):
        try:
            yield under_way.finished(rid, time_ns, meta)
        except RowProblem as problem:
            yield problem


def _rids(entry: dict[str, Any]) -> list[str]:
    """Ids of the request, several for a batch."""
    rid = entry.get("rid")
    given = rid if isinstance(rid, list) else [rid]
    rids = [one for one in given if isinstance(one, str)]
    if not rids or len(rids) != len(given):
        raise RowProblem("wrong-type", "rid", f"{excerpt(rid)} is no request id")
    return rids


def _metas(entry: dict[str, Any], count: int) -> list[dict[str, Any]]:
    out = entry.get("out")
    outs = out if isinstance(out, list) else [out]
    metas = [one.get("meta_info") if isinstance(one, dict) else None for one in outs]
    found = [meta for meta in metas if isinstance(meta, dict)]
    if len(found) != count:
        raise RowProblem("missing-field", "out.meta_info", f"{len(found)} for {count} requests")
    return found


FORMAT = Format(
    name="sglang-request-log",
    accepts="SGLang request log (--log-requests --log-requests-format json), JSON Lines",
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
