"""Byte counts as people write them: 2GiB in, 1.3 GiB out."""

import re

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", start=1):
    _UNITS[_letter] = _UNITS[f"{_letter}ib"] = 1024**_power
    _UNITS[f"{_letter}b"] = 1000**_power

_SPELLING = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)


def parse_bytes(text: str) -> int:
    """Bytes from `2GiB`, `512M` (binary, as container tools read it), `2GB` (decimal) or `1048576`.

    Raises:
        ValueError: not a size; the text says what is accepted.
    """
    match = _SPELLING.fullmatch(text.strip())
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise ValueError(f"{text!r} is no size: write bytes, or a number with KiB, MiB, GiB or TiB")
    return int(float(match[1]) * unit) if "." in match[1] else int(match[1]) * unit


def show_bytes(count: int) -> str:
    """Three significant digits in the largest binary unit that keeps the number above 1."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
        value /= 1024
    return f"{value:,.3g} TiB" if value < 1000 else f"{value:,.0f} TiB"
