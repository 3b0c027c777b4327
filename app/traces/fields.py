"""Checks of single fields that formats share."""

from app.traces.errors import RowProblem, excerpt

MAX_TOKENS = 2**31 - 1


def token_count(value: int, field: str, side: str) -> int:
    """A length that a request can have.

    Args:
        value: as read.
        field: its name in the file.
        side: `input` or `output`, for the reason's name.

    Raises:
        RowProblem: zero, negative or beyond 32 bits.
    """
    if 0 < value <= MAX_TOKENS:
        return value
    if value == 0:
        raise RowProblem(f"zero-{side}-tokens", field, "0 tokens")
    if value < 0:
        raise RowProblem("negative-tokens", field, f"{excerpt(value)} is negative")
    raise RowProblem("out-of-range", field, f"{excerpt(value)} is beyond {MAX_TOKENS:,} tokens")
