"""Which format a file is in, or a clear word about what it is instead."""

import functools
import json
import os
import re
from pathlib import Path

from app.traces import formats
from app.traces.errors import TraceError, excerpt
from app.traces.format import Format
from app.traces.lines import UTF8_BOM
from app.traces.opened import open_trace
from app.traces.options import ReadOptions
from pools.base import discover

HEAD_BYTES = 1 << 20
TEXT_CHECK_BYTES = 8192

#: first bytes → what such a file is, what to do
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "fetch it with: git lfs pull"),
    (b"BZh", "compressed with bzip2", "unpack it first"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it first"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
    (b"PAR1", "a Parquet file", "export it as text"),
    (b"SQLite format 3", "an SQLite database", "export it as text"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
)
#: files without requests that lie beside traces: their look → what they are, what to do
_NO_REQUESTS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (
        re.compile(rb"\Atimestamp,prompt_throughput,generation_throughput,num_running"),
        "a log of a server's pools, which holds no requests",
        "it can be shown, not replayed",
    ),
    (
        re.compile(rb"\At,prompt_throughput,gen_throughput,running,waiting"),
        "a measured time series, which holds no requests",
        "name the requests.jsonl beside it",
    ),
    (
        re.compile(rb"\A\s*\{\s*\"\d+\":\s*\{\s*\"\w+\":\s*\"\{"),
        "a ServeGen client's table of lengths",
        "name the chunk-N-trace.csv beside it",
    ),
    (
        re.compile(rb"\b(?:Prefill|Decode) batch[.,] #"),
        "a server log without lines of requests",
        "start the server with --log-requests, or with --export-metrics-to-file",
    ),
)
_PICKLE_PROTOCOLS = range(2, 6)


@functools.cache
def all_formats() -> dict[str, Format]:
    """Every format by name."""
    return {one.name: one for one in discover(formats, "FORMAT").values()}


def accepted() -> str:
    """What can be read, for an error's remedy."""
    return "accepted are:" + "".join(f"\n  {one.accepts}" for one in all_formats().values())


def recognise(path: Path, options: ReadOptions | None = None) -> Format:
    """The format of a file, from its first bytes and never from its name.

    Args:
        path: the file; gzip and Zstandard are looked into.
        options: what a format may need to know before it reads.

    Raises:
        TraceError: unreadable, empty, no text, or in no known format.
    """
    head = _head(path)
    _refuse_by_magic(path, head)
    head = head.removeprefix(UTF8_BOM)
    if not head.strip():
        raise TraceError(path, "the file is empty", accepted())
    for one in all_formats().values():
        if one.sniff(head):
            return one.bind(path, options or ReadOptions(), head) if one.bind else one
    for pattern, what, remedy in _NO_REQUESTS:
        if pattern.search(head):
            raise TraceError(path, f"this is {what}", f"{remedy}; {accepted()}")
    raise TraceError(path, f"unknown format: {_looks_like(head)}", accepted())


def _refuse_by_magic(path: Path, head: bytes) -> None:
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            raise TraceError(path, f"this is {what}", f"{remedy}; {accepted()}")
    if head[:1] == b"\x80" and head[1:2] and head[1] in _PICKLE_PROTOCOLS:
        raise TraceError(
            path,
            "this is a Python pickle, such as a server's crash dump, and is never loaded: loading "
            "one runs whatever code it names",
            f"let the server record its requests as text, e.g. --export-metrics-to-file; "
            f"{accepted()}",
        )
    if not _is_text(head):
        raise TraceError(path, "this is no text file", accepted())


def _head(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise TraceError(path, "not a file", "name one trace file")
        with open_trace(path) as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise TraceError(path, f"cannot be read: {reason}", f"looked at {path}") from error


def _looks_like(head: bytes) -> str:
    """The first line in a few words: an object's keys, or how it begins."""
    first = head.lstrip().split(b"\n", 1)[0].strip()
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, dict):
        return f"JSON with the keys {excerpt(', '.join(row).encode(), 80)}"
    return f"it begins with {excerpt(first, 60)}"


def _is_text(head: bytes) -> bool:
    start = head[:TEXT_CHECK_BYTES]
    if b"\0" in start:
        return False
    control = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in start)
    return control * 100 <= len(start)
