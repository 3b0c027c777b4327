"""How many prompt tokens stand behind one hash id, judged by all rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CANDIDATES = (16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block size that fits most rows.

    Attributes:
        size: tokens per hash id.
        rounding: `ceil` or `floor`.
        fits: which rows it fits, bool [rows].
        rivals: other sizes that fit as many rows, so that the rows cannot tell.
    """

    size: int
    rounding: str
    fits: NDArray[np.bool_]
    rivals: tuple[int, ...]


def decide_blocks(
    input_tokens: NDArray[np.int64],
    hash_counts: NDArray[np.int64],
    documented: int,
    override: int | None,
    rounding: str | None = None,
) -> Blocks:
    """The block size and rounding under which most rows have the right number of ids.

    Args:
        input_tokens: prompt lengths, tokens [rows].
        hash_counts: ids per row [rows].
        documented: the size to take where the rows cannot tell.
        override: a size that wins over all evidence; only its rounding is judged.
        rounding: `ceil` or `floor`, likewise.
    """
    sizes = (override,) if override is not None else sorted({*CANDIDATES, documented})
    fits: dict[tuple[int, str], NDArray[np.bool_]] = {}
    for size in sizes:
        if rounding != "floor":
            fits[size, "ceil"] = hash_counts == -(-input_tokens // size)
        if rounding != "ceil":
            fits[size, "floor"] = hash_counts == input_tokens // size
    counts = {choice: int(fit.sum()) for choice, fit in fits.items()}
    most = max(counts.values())
    # on a tie the documented size, then ceil, then the larger block
    best = max(
        (choice for choice, count in counts.items() if count == most),
        key=lambda choice: (choice[0] == documented, choice[1] == "ceil", choice[0]),
    )
    rivals = {size for (size, _), count in counts.items() if count == most} - {best[0]}
    return Blocks(best[0], best[1], fits[best], tuple(sorted(rivals)))
