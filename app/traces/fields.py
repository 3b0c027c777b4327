"""Checks of single fields that formats share."""

from app.traces.errors import RowProblem, excerpt

MAX_TOKENS = 2**31 - 1
MAX_IMAGES = 1000
#: features of an image of 224 tokens in bf16, where a file counts images and gives no sizes
IMAGE_BYTES = 2 << 20
IMAGE_REMARK = "image sizes are not in the file: each is taken as 2 MiB of features, an estimate"


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


def images_of(text: bytes, field: str) -> tuple[int, ...]:
    """A count of images as that many of the assumed size; an empty cell is none.

    Raises:
        RowProblem: no count, or more than a request can carry.
    """
    if not text:
        return ()
    if not text.isdigit() or len(text) > 6 or int(text) > MAX_IMAGES:
        raise RowProblem(
            "bad-image-count", field, f"{excerpt(text)} is no count of 0 to {MAX_IMAGES} images"
        )
    return (IMAGE_BYTES,) * int(text)
