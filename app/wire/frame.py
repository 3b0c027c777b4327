"""One self-describing container for every message between host, hub and browser.

Binary layout (little-endian), decoded in a browser with JSON.parse and typed-array views:

    [u64 header_len][JSON header, space-padded to a multiple of 8][raw arrays, each 8-byte aligned]

`header["arrays"]` lists `{name, dtype, shape, offset}`; offsets count from the end of the header.
A message without arrays is the JSON header alone, as text.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCHEMA = 1
KINDS = (
    "hello",
    "scalars",
    "keyframe",
    "delta",
    "event",
    "gap",
    "heartbeat",
    "error",
    "command",
    "reply",
    "subscribe",
    "ack",
    "resync",
    "incident",
)
#: dtype names on the wire, the numpy short form without byte order
DTYPES = {"u1": "|u1", "u4": "<u4", "i4": "<i4", "u8": "<u8", "i8": "<i8", "f8": "<f8"}
MAX_HEADER_BYTES = 4 << 20

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


class FrameError(ValueError):
    """A message that is no frame; the text names the place and what was expected."""


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None) -> bytes:
    """Pack a binary message; use `encode_text` when there are no arrays.

    Args:
        header: JSON-ready, without "arrays".
        arrays: any contiguous or strided numpy arrays of the dtypes in DTYPES.

    Raises:
        FrameError: an array of another dtype.
    """
    described: list[dict[str, Any]] = []
    chunks: list[bytes | memoryview] = []
    offset = 0
    for name, array in (arrays or {}).items():
        dtype = f"{array.dtype.kind}{array.dtype.itemsize}"
        if dtype not in DTYPES:
            raise FrameError(f"array {name!r} has dtype {array.dtype}; send one of {list(DTYPES)}")
        raw = np.ascontiguousarray(array, dtype=DTYPES[dtype])
        described.append(
            {"name": name, "dtype": dtype, "shape": list(array.shape), "offset": offset}
        )
        padding = -raw.nbytes % 8
        chunks += [raw.tobytes(), bytes(padding)]
        offset += raw.nbytes + padding
    text = json.dumps({**header, "arrays": described}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *chunks])


def encode_text(header: Mapping[str, Any]) -> str:
    """A message without arrays: its header as compact JSON."""
    return json.dumps(header, separators=(",", ":"))


def decode(message: bytes | str) -> tuple[Header, Arrays]:
    """Unpack either form. Arrays are read-only views into the message.

    Raises:
        FrameError: not a frame; nothing of it is used.
    """
    if isinstance(message, str):
        return _checked_header(message), {}
    if len(message) < 8:
        raise FrameError(f"binary message of {len(message)} bytes: 8 bytes of length expected")
    (length,) = struct.unpack_from("<Q", message)
    if length > min(MAX_HEADER_BYTES, len(message) - 8):
        raise FrameError(f"header_len {length} does not fit a message of {len(message)} bytes")
    header = _checked_header(message[8 : 8 + length])
    base = 8 + length
    listed = header.pop("arrays", [])
    if not isinstance(listed, list):
        raise FrameError(f"header.arrays must be a list, got {type(listed).__name__}")
    return header, dict(_view(message, base, one) for one in listed)


def _checked_header(text: str | bytes) -> Header:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise FrameError(f"header must be a JSON object, got {type(header).__name__}")
    if header.get("kind") not in KINDS:
        raise FrameError(f"header.kind {header.get('kind')!r} is none of {', '.join(KINDS)}")
    return header


def _view(message: bytes, base: int, described: object) -> tuple[str, NDArray[Any]]:
    try:
        name, shape, offset = described["name"], described["shape"], described["offset"]  # type: ignore[index]
        dtype = np.dtype(DTYPES[described["dtype"]])  # type: ignore[index]
        count = 1
        for extent in shape:
            if type(extent) is not int or extent < 0:
                raise ValueError(f"shape {shape}")
            count *= extent
        if type(offset) is not int or offset < 0 or not isinstance(name, str):
            raise ValueError(f"offset {offset!r}, name {name!r}")
        return name, np.frombuffer(message, dtype, count, base + offset).reshape(shape)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FrameError(f"array {described!r} does not fit the message: {error}") from error
