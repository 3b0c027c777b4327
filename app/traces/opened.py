"""A trace file open for reading, compressed or not, always as a stream."""

import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from app.traces.errors import TraceError

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"


@contextlib.contextmanager
def open_trace(path: Path) -> Iterator[BinaryIO]:
    """The file's content from its start; gzip and Zstandard are undone while reading.

    Raises:
        TraceError: while reading, when a compressed file is damaged.
        OSError: the file cannot be opened.
    """
    with path.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic.startswith(GZIP):
            with gzip.GzipFile(fileobj=raw) as file, _damage(path, "gzip"):
                yield cast("BinaryIO", file)
        elif magic == ZSTD:
            with _zstd(raw) as file, _damage(path, "Zstandard"):
                yield file
        else:
            yield raw


def compression(path: Path) -> str | None:
    """`gzip`, `Zstandard` or None, from the first bytes."""
    with path.open("rb") as raw:
        magic = raw.read(4)
    if magic.startswith(GZIP):
        return "gzip"
    return "Zstandard" if magic == ZSTD else None


def _zstd(raw: BinaryIO) -> io.BufferedReader:
    from app.traces.zstd import ZstdReader  # the package is loaded only when it is needed

    return io.BufferedReader(ZstdReader(raw), 1 << 16)


@contextlib.contextmanager
def _damage(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, kind, error) from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "zstandard":
            raise
        raise _damaged(path, kind, error) from error


def _damaged(path: Path, kind: str, error: Exception) -> TraceError:
    return TraceError(
        path,
        f"the {kind} data is cut short or damaged: {error}",
        "fetch or write it again; what can be unpacked from it by hand can be read as text",
    )
