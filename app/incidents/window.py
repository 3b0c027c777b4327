"""A window of frames as one blob: what a page needs to play the seconds around an incident.

    zlib( [u32 length | u8 kind][message] [u32 length | u8 kind][message] ... )

`kind` is 0 for text and 1 for binary; zlib's checksum tells a damaged blob from a whole one.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator

Message = bytes | str

_HEAD = struct.Struct("<IB")
_TEXT, _BINARY = 0, 1
#: a window larger than this is not one that was written here
MAX_UNPACKED_BYTES = 512 << 20


class DamagedWindow(ValueError):
    """The blob cannot be read back; the text says where it breaks."""


def pack(messages: Iterable[Message]) -> bytes:
    """Compress messages in order."""
    parts: list[bytes] = []
    for message in messages:
        binary = isinstance(message, bytes)
        raw = message if isinstance(message, bytes) else message.encode()
        parts += [_HEAD.pack(len(raw), _BINARY if binary else _TEXT), raw]
    return zlib.compress(b"".join(parts), 1)


def unpack(blob: bytes) -> bytes:
    """The length-prefixed messages, as they go to a browser.

    Raises:
        DamagedWindow: cut short, changed, or not a window at all.
    """
    reader = zlib.decompressobj()
    try:
        raw = reader.decompress(blob, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise DamagedWindow(f"the recorded frames are damaged: {error}") from error
    if not reader.eof:
        raise DamagedWindow(f"the recorded frames end too early, after {len(raw):,} bytes")
    return raw


def messages(raw: bytes) -> Iterator[Message]:
    """The messages of an unpacked window, in order.

    Raises:
        DamagedWindow: a length that does not fit.
    """
    at = 0
    while at < len(raw):
        if at + _HEAD.size > len(raw):
            raise DamagedWindow(f"byte {at:,}: a message's length is cut off")
        length, kind = _HEAD.unpack_from(raw, at)
        at += _HEAD.size
        if at + length > len(raw) or kind not in (_TEXT, _BINARY):
            raise DamagedWindow(f"byte {at:,}: a message of {length:,} bytes does not fit")
        body = raw[at : at + length]
        yield body if kind == _BINARY else body.decode()
        at += length
