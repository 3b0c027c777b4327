"""A log from a request's body: as text, gzip, JSON or a form with a file; bounded in size."""

import io
import json
import re

from fastapi import Request

from app.diagnose.diagnose import diagnose
from app.diagnose.judge import Diagnosis
from app.diagnose.source import LogError, LogTooLargeError
from app.routes.problem import ProblemError

MAX_LOG_BYTES = 32 << 20
#: of text, after decompression
MAX_LOG_CHARS = 64 << 20
ELSEWHERE = "`poolscope diagnose FILE` takes any size"

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,200})"|([^\s;,]{1,200}))')
_NAME = re.compile(rb'\bname="([^"\r\n]{0,100})"')


async def log_of(request: Request) -> bytes:
    """The log that a request carries; a form's file wins over its text field.

    Raises:
        ProblemError: 413 too large, 415 of a kind that is not taken, 422 nothing in it.
    """
    kind = request.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
    body = await _body(request)
    if kind == "application/json":
        body = _from_json(body)
    elif kind == "multipart/form-data":
        body = _from_form(body, request.headers["content-type"])
    elif kind not in ("text/plain", "application/octet-stream", "application/gzip", ""):
        raise ProblemError(
            415,
            "Kind of body not taken",
            f"{kind!r}: send text/plain, application/gzip, application/json with a `text`, or a "
            "form with a file",
        )
    if not body.strip():
        raise ProblemError(422, "No log", "the body is empty; paste a log or choose a file")
    return body


def explain(body: bytes) -> Diagnosis:
    """Diagnose what a request carried.

    Raises:
        ProblemError: 422 when it is no log, 413 when it unpacks to too much.
    """
    try:
        return diagnose(io.BytesIO(body), max_chars=MAX_LOG_CHARS)
    except LogTooLargeError as error:
        raise ProblemError(413, "Log too large", str(error)) from None
    except LogError as error:
        raise ProblemError(422, "Not a log", str(error)) from None


async def _body(request: Request) -> bytes:
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_LOG_BYTES:
            raise ProblemError(
                413,
                "Log too large",
                f"at most {MAX_LOG_BYTES >> 20} MiB are taken, as they come; send the part around "
                f"the failure, or gzip it; {ELSEWHERE}",
                limit_bytes=MAX_LOG_BYTES,
            )
        pieces.append(piece)
    return b"".join(pieces)


def _from_json(body: bytes) -> bytes:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProblemError(422, "Invalid request", f"the body is no JSON: {error}") from None
    text = given.get("text") if isinstance(given, dict) else None
    if not isinstance(text, str):
        raise ProblemError(422, "Invalid request", "body.text: a string with the log is needed")
    return text.encode("utf-8", "replace")


def _from_form(body: bytes, content_type: str) -> bytes:
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise ProblemError(422, "Invalid request", "the form has no boundary in its Content-Type")
    fields: dict[bytes, bytes] = {}
    for part in body.split(b"--" + (found[1] or found[2]).encode("latin-1")):
        head, blank, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if blank and name:
            fields[name[1]] = content.removesuffix(b"\r\n")
    return fields.get(b"file", b"") or fields.get(b"text", b"")
