"""Zstandard as a stream that notices when its data is cut short.

The package's own stream reader ends quietly in the middle of a frame, which would lose rows.
"""

import io
from typing import TYPE_CHECKING, BinaryIO

import zstandard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

READ_BYTES = 1 << 17


class ZstdReader(io.RawIOBase):
    """The content of a file of one frame or several, from its start."""

    def __init__(self, raw: BinaryIO) -> None:
        """Wrap `raw`, open in binary mode at its start."""
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._packed = self._ready = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, target: "WriteableBuffer") -> int:
        """Fill a part of `target`; 0 at the end.

        Raises:
            EOFError: the file ends within a frame.
            zstandard.ZstdError: it is damaged.
        """
        while not self._ready:
            if not self._packed:
                self._packed = self._raw.read(READ_BYTES)
                if not self._packed:
                    if not self._frame.eof:
                        raise EOFError("it ends within a frame")
                    return 0
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._ready = self._frame.decompress(self._packed)
            self._packed = self._frame.unused_data if self._frame.eof else b""
        view = memoryview(target).cast("B")
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count
