"""What can be seen of a pool: frozen, complete, without a reference to the pool.

The ONE definition: REST, frames, history and tests all use these classes. Times are seconds of
the engine's clock. Imports without torch.
"""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Words a `source` may be; simulated numbers are never dressed as production's.
SOURCES = ("synthetic", "replay", "reconstructed", "attached")

#: Per-cell states as sent in geometry arrays (uint8), in the order of the page's palette.
STATES = ("available", "held", "protected", "evictable", "leaked", "retired")
AVAILABLE, HELD, PROTECTED, EVICTABLE, LEAKED, RETIRED = range(6)


@dataclass(frozen=True, slots=True)
class FreeRanges:
    """Contiguous free space, in the pool's `unit`.

    `histogram[k]` counts free ranges of size in [2**k, 2**(k+1)).
    """

    count: int
    largest: int
    total: int
    histogram: tuple[int, ...]
    external_fragmentation_frac: float
    largest_fit_now: int
    largest_fit_after_merge: int


@dataclass(frozen=True, slots=True)
class Generations:
    """How far the slots' reuse counters have come.

    `seconds_until_limit` is null when nothing wears; `quantiles` are p50, p90, p99 over all slots.
    """

    limit: int
    max: int
    hottest_slot: int
    quantiles: tuple[int, int, int]
    bumps_total: int
    bumps_per_s: float
    seconds_until_limit: float | None


@dataclass(frozen=True, slots=True)
class Leases:
    """Leases not yet recycled; `outstanding[c]` counts those that consumer c has not acked."""

    count: int
    oldest_age_s: float
    outstanding: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counters:
    """Since the pool was built. `failures_total` counts `None` results by reason."""

    allocs_total: int = 0
    frees_total: int = 0
    failures_total: dict[str, int] = field(default_factory=dict)
    raised_total: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PoolSnapshot:
    """One pool at one instant. All amounts are in `unit` unless a name says otherwise.

    available + evictable + protected + held + retired + leaked == capacity; `leaked` is a signed
    residual of independent books. `view_of` names the pool that a view (radix) looks at; a view
    is never added to that pool's sums.
    """

    name: str
    kind: str
    unit: str
    device: str
    source: str
    capacity: int
    available: int
    evictable: int
    protected: int
    held: int
    leaked: int
    retired: int = 0
    page_size: int = 1
    view_of: str | None = None
    modelled_bytes: int = 0
    allocated_bytes: int = 0
    free_ranges: FreeRanges | None = None
    generations: Generations | None = None
    leases: Leases | None = None
    counters: Counters = field(default_factory=Counters)
    #: figures that only this kind has (hit tokens, evictions, …), units in the names
    extra: dict[str, int | float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-ready data, the same field names."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Per-cell arrays of one pool, copied: shape (num_cells,) each, CPU numpy.

    `unit_per_cell` units stand behind one cell (a page's tokens; a feature slot has none: 0).
    `free_edges`, uint64 shape (2 * ranges_sent,), holds start, end of each free range in
    `unit`, by address; at most 65,536 ranges, `free_ranges_total` says how many there are.
    """

    state: NDArray[np.uint8]
    generation: NDArray[np.uint32] | None
    owner: NDArray[np.int32] | None
    unit_per_cell: int
    free_edges: NDArray[np.uint64] | None = None
    free_ranges_total: int = 0
    #: leases as rows (slot, start, end, generation, acks missing), int64 shape (n, 5)
    leases: NDArray[np.int64] | None = None
