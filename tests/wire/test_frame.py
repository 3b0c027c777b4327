"""Frames: every array survives, damage is named, and the byte layout never changes by accident."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from app.wire.frame import DTYPES, FrameError, decode, encode, encode_text

GOLDEN = Path(__file__).parent.parent / "data" / "frames"

arrays = st.dictionaries(
    st.text(min_size=1, max_size=12),
    st.sampled_from(sorted(DTYPES.values())).flatmap(
        lambda dtype: st_numpy.arrays(
            np.dtype(dtype), st_numpy.array_shapes(max_dims=2, min_side=0, max_side=9)
        )
    ),
    max_size=4,
)


@given(arrays, st.integers(0, 2**53), st.text(max_size=40))
def test_frame_round_trip_keeps_header_and_arrays(
    sent: dict[str, np.ndarray], seq: int, note: str
) -> None:
    message = encode({"kind": "delta", "seq": seq, "note": note}, sent)
    header, received = decode(message)
    assert header == {"kind": "delta", "seq": seq, "note": note}
    assert received.keys() == sent.keys()
    for name, array in sent.items():
        assert received[name].dtype == array.dtype
        assert received[name].shape == array.shape
        assert received[name].tobytes() == array.tobytes()


@given(arrays)
def test_frame_every_array_is_aligned_to_eight_bytes(sent: dict[str, np.ndarray]) -> None:
    message = encode({"kind": "keyframe"}, sent)
    (length,) = struct.unpack_from("<Q", message)
    assert (8 + length) % 8 == 0
    assert all(one["offset"] % 8 == 0 for one in json.loads(message[8 : 8 + length])["arrays"])


def test_frame_text_round_trip() -> None:
    header = {"kind": "event", "message": "alloc_req_slots runs out of memory", "numbers": {"a": 1}}
    assert decode(encode_text(header)) == (header, {})


def golden_delta() -> bytes:
    return encode(
        {"kind": "delta", "host": "local", "epoch": 1, "seq": 1042, "base_seq": 1041},
        {
            "kv_pages/slots": np.array([3, 5, 65_535], np.uint32),
            "kv_pages/state": np.array([1, 2, 0], np.uint8),
            "mm_feature/free_edges": np.array([0, 256, 1024, 4096], np.uint64),
        },
    )


def test_frame_layout_matches_the_golden_file() -> None:
    assert golden_delta() == (GOLDEN / "delta-schema1.bin").read_bytes()


def test_frame_golden_file_decodes_to_its_numbers() -> None:
    header, received = decode((GOLDEN / "delta-schema1.bin").read_bytes())
    assert header["base_seq"] == 1041
    assert received["kv_pages/slots"].tolist() == [3, 5, 65_535]
    assert received["kv_pages/state"].tolist() == [1, 2, 0]
    assert received["mm_feature/free_edges"].tolist() == [0, 256, 1024, 4096]


def test_frame_refuses_a_dtype_that_a_browser_cannot_view() -> None:
    with pytest.raises(FrameError, match="dtype complex128"):
        encode({"kind": "delta"}, {"x": np.zeros(2, np.complex128)})


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (b"", "0 bytes"),
        (b"\xff" * 16, "header_len"),
        (struct.pack("<Q", 8) + b"not json", "not JSON"),
        (struct.pack("<Q", 2) + b"[]", "JSON object"),
        ("{}", "header.kind None"),
        ('{"kind": "nonsense"}', "header.kind 'nonsense'"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_frame_damage_is_named(message: bytes | str, named: str) -> None:
    with pytest.raises(FrameError, match=named.replace("(", r"\(")):
        decode(message)


@pytest.mark.parametrize(
    "described",
    [
        {"name": "x", "dtype": "u4", "shape": [1000], "offset": 0},
        {"name": "x", "dtype": "u4", "shape": [-1], "offset": 0},
        {"name": "x", "dtype": "u4", "shape": [1 << 62, 4], "offset": 0},
        {"name": "x", "dtype": "O8", "shape": [1], "offset": 0},
        {"name": "x", "dtype": "u4", "shape": [1], "offset": -8},
        {"dtype": "u4", "shape": [1], "offset": 0},
        "x",
    ],
)
def test_frame_array_that_does_not_fit_is_refused(described: object) -> None:
    text = json.dumps({"kind": "delta", "arrays": [described]}).encode()
    with pytest.raises(FrameError, match="does not fit"):
        decode(struct.pack("<Q", len(text)) + text + bytes(16))


@given(st.binary(max_size=200))
def test_frame_random_bytes_never_raise_anything_else(message: bytes) -> None:
    try:
        decode(message)
    except FrameError:
        return


@given(st.integers(0, 400), st.integers(0, 255))
def test_frame_one_flipped_byte_is_decoded_or_named(position: int, value: int) -> None:
    message = bytearray(golden_delta())
    message[position % len(message)] = value
    try:
        decode(bytes(message))
    except FrameError:
        return
