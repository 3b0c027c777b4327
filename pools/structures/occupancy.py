"""Contiguous free space, from one byte of state per cell: vectorised scans, no loop over cells."""

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import AVAILABLE, FreeRanges, Geometry

#: ranges that a geometry sends at most; it says how many there are
MAX_RANGES_SENT = 65_536


def free_edges(state: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Start and end (not included) of each run of AVAILABLE cells.

    Returns:
        int64, shape (2 * runs,): start, end, start, end, … in cells, ascending.
    """
    free = state == AVAILABLE
    if free.size == 0:
        return np.empty(0, np.int64)
    edges = np.flatnonzero(free[1:] != free[:-1])
    edges += 1
    parts = [edges]
    if free[0]:
        parts.insert(0, np.zeros(1, np.int64))
    if free[-1]:
        parts.append(np.full(1, free.size, np.int64))
    return np.concatenate(parts) if len(parts) > 1 else edges


def cell_geometry(
    state: NDArray[np.uint8], generation: NDArray[np.uint32], owner: NDArray[np.int32]
) -> Geometry:
    """A geometry with one unit per cell and its free ranges, from live arrays of shape (cells,)."""
    edges = free_edges(state)
    return Geometry(
        state=state.copy(),
        generation=generation.copy(),
        owner=owner.copy(),
        unit_per_cell=1,
        free_edges=edges[: 2 * MAX_RANGES_SENT].astype(np.uint64),
        free_ranges_total=len(edges) // 2,
    )


def free_ranges(edges: NDArray[np.int64], *, any_fits: bool, unit: int = 1) -> FreeRanges:
    """Figures over free ranges.

    Args:
        edges: as `free_edges` returns them, in cells.
        any_fits: an allocation may be scattered, so what fits is all that is free.
        unit: amount behind one cell.
    """
    cells = edges[1::2] - edges[::2]
    total, largest = int(cells.sum()) * unit, int(cells.max(initial=0)) * unit
    fits = total if any_fits else largest
    return FreeRanges(
        count=len(cells),
        largest=largest,
        total=total,
        histogram=log2_histogram(cells * unit if unit > 1 else cells),
        external_fragmentation_frac=1.0 - largest / total if total else 0.0,
        largest_fit_now=fits,
        largest_fit_after_merge=fits,
    )


def log2_histogram(sizes: NDArray[np.int64]) -> tuple[int, ...]:
    """`[k]` counts sizes in [2**k, 2**(k+1)), sizes of at least 1; no trailing zeros."""
    if sizes.size == 0:
        return ()
    largest = int(sizes.max())
    if largest < 4 * sizes.size:
        # Many small ranges: count each size once, then fold sizes to octaves.
        by_size = np.bincount(sizes)
        octaves = 1 << np.arange(largest.bit_length())
        return tuple(np.add.reduceat(by_size, octaves).tolist())
    exponents = np.frexp(sizes.astype(np.float64))[1] - 1
    return tuple(np.bincount(exponents).tolist())
