"""Contiguous free space, from one byte of state per cell: a vectorised scan, no loop."""

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import AVAILABLE, FreeRanges

#: ranges sent at most; more are counted and said
MAX_RANGES = 65_536


def free_edges(state: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Start and end (not included) of each run of AVAILABLE cells, shape (2 * runs,)."""
    free = state == AVAILABLE
    if free.size == 0:
        return np.empty(0, np.int64)
    edges = np.flatnonzero(free[1:] != free[:-1]) + 1
    parts = [edges]
    if free[0]:
        parts.insert(0, np.zeros(1, np.int64))
    if free[-1]:
        parts.append(np.full(1, free.size, np.int64))
    return np.concatenate(parts)


def free_ranges(edges: NDArray[np.int64], *, any_fits: bool, unit: int = 1) -> FreeRanges:
    """Figures over free ranges.

    Args:
        edges: as `free_edges` returns them.
        any_fits: an allocation may be scattered, so what fits is all that is free.
        unit: amount behind one cell.
    """
    sizes = (edges[1::2] - edges[::2]) * unit
    total, largest = int(sizes.sum()), int(sizes.max(initial=0))
    fits = total if any_fits else largest
    return FreeRanges(
        count=len(sizes),
        largest=largest,
        total=total,
        histogram=log2_histogram(sizes),
        external_fragmentation_frac=1.0 - largest / total if total else 0.0,
        largest_fit_now=fits,
        largest_fit_after_merge=fits,
    )


def log2_histogram(sizes: NDArray[np.int64]) -> tuple[int, ...]:
    """`[k]` counts sizes in [2**k, 2**(k+1)); no trailing zeros."""
    if sizes.size == 0:
        return ()
    exponents = np.frexp(sizes.astype(np.float64))[1] - 1
    return tuple(np.bincount(exponents).tolist())
