"""Byte counts as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sizing.byte_size import parse_bytes, show_bytes


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1048576", 1 << 20),
        ("0", 0),
        ("64b", 64),
        ("2GiB", 2 << 30),
        (" 1.5 gib ", 3 << 29),
        ("512M", 512 << 20),
        ("2k", 2048),
        ("2GB", 2 * 10**9),
        ("1TiB", 1 << 40),
        (str(2**63 - 1), 2**63 - 1),
    ],
)
def test_sizes_are_read(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "GiB", "-1", "2 GiBs", "1e9", "nan", "2,5GiB", "٢GiB"])
def test_what_is_no_size_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(ValueError, match="KiB, MiB, GiB or TiB"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1 KiB"),
        (3 << 29, "1.5 GiB"),
        (1010 << 20, "1,010 MiB"),
        (1 << 40, "1 TiB"),
        (5000 << 40, "5,000 TiB"),
    ],
)
def test_sizes_are_shown(count: int, text: str) -> None:
    assert show_bytes(count) == text


@given(st.integers(0, 1 << 45))
def test_what_is_shown_is_near_what_is(count: int) -> None:
    shown = parse_bytes(show_bytes(count).replace(",", ""))
    # Three digits are within half a percent; parsing drops a part of a byte.
    assert abs(shown - count) <= 0.005 * count + 1
