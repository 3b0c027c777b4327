"""Windows survive a round trip, and damage is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.incidents.window import DamagedWindow, messages, pack, unpack


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=200),
            st.text(max_size=200, alphabet=st.characters(exclude_categories=["Cs"])),
        )
    )
)
def test_window_round_trip(sent: list[bytes | str]) -> None:
    assert list(messages(unpack(pack(sent)))) == sent


def test_window_cut_short_is_damaged() -> None:
    blob = pack([b"x" * 10_000, "text"])
    with pytest.raises(DamagedWindow, match=r"damaged|too early"):
        unpack(blob[:-5])


def test_window_changed_is_damaged() -> None:
    blob = bytearray(pack([bytes(range(256)) * 40]))
    blob[len(blob) // 2] ^= 0xFF
    with pytest.raises(DamagedWindow):
        unpack(bytes(blob))


@pytest.mark.parametrize("raw", [b"\x01", b"\xff\xff\xff\x7f\x00abc", b"\x01\x00\x00\x00\x07a"])
def test_window_lengths_that_do_not_fit_are_named(raw: bytes) -> None:
    with pytest.raises(DamagedWindow, match="byte"):
        list(messages(raw))
