"""Bytes of a log, as overlapping blocks of text: any size, plain or gzip, in constant memory."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from app.diagnose.mask import ANSI

READ_BYTES = 1 << 18
#: characters kept before a block, for the line's own prefix and those above it
BEHIND = 8_000
#: characters kept after it: a message and what follows it must be read together
AHEAD = 4_000
GZIP_MAGIC = b"\x1f\x8b"
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: share of NUL bytes from which text is taken for UTF-16 without a mark
NUL_FRAC = 0.3
#: share of control and undecodable characters from which a file is no log
BINARY_FRAC = 0.2
JUDGED_CHARS = 1 << 20
_ESCAPES = (("\\r\\n", "\r"), ("\\n", "\r"), ("\\t", " "), ('\\"', '"'), ("\\u003e", ">"))
_TEXT_CONTROLS = "\t\n\r\x1b\x0b\x0c\x08"
_OTHER_CONTROLS = {code: None for code in range(32) if chr(code) not in _TEXT_CONTROLS}
_OTHER_CONTROLS |= {0x7F: None, 0xFFFD: None}


class LogError(ValueError):
    """A file that cannot be read as a log; the text says what to do."""


class LogTooLargeError(LogError):
    """More text than the caller allows."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the log. What begins in `text[start:stop]` belongs to this block alone.

    Attributes:
        line: number of the line that `text` begins in, from 1.
    """

    text: str
    start: int
    stop: int
    line: int


@dataclass(slots=True)
class LogSource:
    """A log as blocks; the attributes are complete once all blocks have been taken.

    Args:
        stream: open for bytes; gzip is recognised by its first bytes.
        max_chars: refuse more text than this (a compressed body may hold any amount).
    """

    stream: BinaryIO
    max_chars: int | None = None
    chars: int = 0
    lines: int = 0
    encoding: str = "utf-8"
    notes: list[str] = field(default_factory=list)
    _judged: int = 0
    _strange: int = 0

    def blocks(self) -> Iterator[Block]:
        """Every block, in order.

        Raises:
            LogTooLargeError: more than `max_chars` of text.
        """
        text, start, line = "", 0, 1
        for piece in self._texts():
            text += piece
            stop = len(text) - AHEAD
            if stop - start < READ_BYTES // 4:
                continue
            yield Block(text, start, stop, line)
            cut = max(0, stop - BEHIND)
            line += text.count("\n", 0, cut)
            text, start = text[cut:], stop - cut
        if text:
            yield Block(text, start, len(text), line)
        self.lines = line + text.count("\n") - (1 if text.endswith("\n") else 0)
        if not self.chars:
            self.lines = 0

    @property
    def is_binary(self) -> bool:
        """Too many characters that no log has."""
        return self._judged > 0 and self._strange / self._judged > BINARY_FRAC

    def _texts(self) -> Iterator[str]:
        pieces = self._bytes()
        first = next(pieces, b"")
        self.encoding = _encoding_of(first)
        decoder = codecs.getincrementaldecoder(self.encoding)(errors="replace")
        piece: bytes | None = first
        while piece is not None:
            yield self._counted(decoder.decode(piece))
            piece = next(pieces, None)
        yield self._counted(decoder.decode(b"", final=True))

    def _counted(self, text: str) -> str:
        self.chars += len(text)
        if self.max_chars is not None and self.chars > self.max_chars:
            raise LogTooLargeError(
                f"the log has more than {self.max_chars:,} characters; cut it to the part around "
                "the failure, or run `poolscope diagnose FILE`, which takes any size"
            )
        if self._judged < JUDGED_CHARS:
            self._judged += len(text)
            self._strange += len(text) - len(text.translate(_OTHER_CONTROLS))
        return _unwrapped(text)

    def _bytes(self) -> Iterator[bytes]:
        stream = io.BufferedReader(_Raw(self.stream), READ_BYTES)
        opened: io.BufferedIOBase = stream
        if stream.peek(2)[:2] == GZIP_MAGIC:
            opened = gzip.GzipFile(fileobj=stream)
        while True:
            try:
                piece = opened.read(READ_BYTES)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                self.notes.append(f"the compressed data ends early or is damaged: {error}")
                return
            if not piece:
                return
            yield piece


class _Raw(io.RawIOBase):
    """Any stream of bytes, a pipe or an upload, as one that can be buffered and peeked into."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _unwrapped(text: str) -> str:
    """Without colours; a line break that a collector escaped becomes a carriage return.

    A carriage return begins a line, as far as prefixes go, and is not counted as one.
    """
    if "\x1b" in text:
        text = ANSI.sub("", text)
    if "\\" in text:
        for escaped, plain in _ESCAPES:
            text = text.replace(escaped, plain)
    return text


def _encoding_of(first: bytes) -> str:
    for bom, name in BOMS:
        if first.startswith(bom):
            return name
    sample = first[:4_096]
    half = max(1, len(sample) // 2)
    if sample[1::2].count(0) / half > NUL_FRAC * 2:
        return "utf-16-le"
    if sample[0::2].count(0) / half > NUL_FRAC * 2:
        return "utf-16-be"
    return "utf-8"
