"""Free ranges from states: edges, figures, histogram; against a loop over cells."""

import numpy as np
import pytest

from pools.snapshot import AVAILABLE, HELD, LEAKED
from pools.structures.occupancy import (
    MAX_RANGES_SENT,
    cell_geometry,
    free_edges,
    free_ranges,
    log2_histogram,
)


def states(text: str) -> np.ndarray:
    """`.` is free, anything else is not."""
    return np.array([AVAILABLE if one == "." else HELD for one in text], np.uint8)


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("", []),
        (".", [0, 1]),
        ("x", []),
        ("...", [0, 3]),
        ("x..x", [1, 3]),
        ("..x.xx...", [0, 2, 3, 4, 6, 9]),
        (".x.", [0, 1, 2, 3]),
    ],
)
def test_edges_of_free_runs(text: str, edges: list[int]) -> None:
    found = free_edges(states(text))
    assert found.tolist() == edges
    assert found.dtype == np.int64


def test_only_available_is_free() -> None:
    assert free_edges(np.array([LEAKED, AVAILABLE, HELD], np.uint8)).tolist() == [1, 2]


def test_figures_of_scattered_space() -> None:
    found = free_ranges(free_edges(states("..x.xx...")), any_fits=True, unit=4)
    assert (found.count, found.largest, found.total) == (3, 12, 24)
    assert found.external_fragmentation_frac == 0.5
    assert (found.largest_fit_now, found.largest_fit_after_merge) == (24, 24)
    assert found.histogram == (0, 0, 1, 2), "4, then 8 and 12"
    assert free_ranges(free_edges(states("..x.xx...")), any_fits=False).largest_fit_now == 3


@pytest.mark.parametrize("text", ["", "xxx"])
def test_no_space_is_not_fragmented(text: str) -> None:
    found = free_ranges(free_edges(states(text)), any_fits=True)
    assert (found.count, found.total, found.largest, found.histogram) == (0, 0, 0, ())
    assert found.external_fragmentation_frac == 0.0


@pytest.mark.parametrize("most", [1, 2, 3, 40, 5_000, 1 << 40])
def test_histogram_counts_octaves(most: int) -> None:
    sizes = np.random.default_rng(1).integers(1, most + 1, 50)
    counted = [0] * int(sizes.max()).bit_length()
    for size in sizes.tolist():
        counted[size.bit_length() - 1] += 1
    assert log2_histogram(sizes) == tuple(counted)


def test_histogram_of_exact_powers() -> None:
    assert log2_histogram(np.array([1, 2, 4, 8])) == (1, 1, 1, 1)
    assert log2_histogram(np.array([2**40, 2**40 - 1])) == (*[0] * 39, 1, 1)


def test_geometry_is_a_copy_with_its_free_ranges() -> None:
    state, generation = states("..x."), np.arange(4, dtype=np.uint32)
    geometry = cell_geometry(state, generation, np.full(4, -1, np.int32))
    state[:], generation[:] = HELD, 9
    assert geometry.state.tolist() == states("..x.").tolist()
    assert geometry.generation is not None
    assert geometry.generation.tolist() == [0, 1, 2, 3]
    assert geometry.free_edges is not None
    assert (geometry.free_edges.tolist(), geometry.free_ranges_total) == ([0, 2, 3, 4], 2)
    assert geometry.free_edges.dtype == np.uint64


def test_geometry_sends_so_many_ranges_and_says_how_many_there_are() -> None:
    cells = 2 * (MAX_RANGES_SENT + 5)
    state = np.zeros(cells, np.uint8)
    state[1::2] = HELD
    geometry = cell_geometry(state, np.zeros(cells, np.uint32), np.zeros(cells, np.int32))
    assert geometry.free_edges is not None
    assert len(geometry.free_edges) == 2 * MAX_RANGES_SENT
    assert geometry.free_ranges_total == MAX_RANGES_SENT + 5
