"""A ring of scalars per pool with a memory budget; the page shows how far back it reaches."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.wire.frame import Header

FIELDS = ("available", "evictable", "protected", "held", "leaked")
COLUMNS = ("seq", "t", "sim_t", *FIELDS)
FIRST_ROWS = 4_096
MIN_GAP_S = 0.25


class History:
    """Rows of `COLUMNS` (float64) per pool. Rings grow by doubling until the budget is used."""

    def __init__(self, budget_bytes: int) -> None:
        self._budget_bytes = budget_bytes
        self._rings: dict[str, NDArray[np.float64]] = {}
        self._count = 0
        self._last_t = 0.0
        self._epoch: object = None

    def start(self, epoch: object, pools: dict[str, Any]) -> None:
        """A hello came. A new epoch or other pools begin an empty history."""
        if epoch == self._epoch and set(pools) == set(self._rings):
            return
        self._epoch, self._count = epoch, 0
        self._rings = {name: np.empty((FIRST_ROWS, len(COLUMNS))) for name in pools}

    def append(self, scalars: Header) -> None:
        """Keep one tick, at most one every 0.25 s of wall time."""
        t = float(scalars["t"])
        if not self._rings or 0 <= t - self._last_t < MIN_GAP_S:
            return
        self._last_t = t
        self._grow()
        for name, ring in self._rings.items():
            snapshot = scalars["pools"].get(name)
            if snapshot is not None:
                row = ring[self._count % len(ring)]
                row[:3] = scalars["seq"], t, scalars["sim_t"]
                row[3:] = [snapshot[field] for field in FIELDS]
        self._count += 1

    def rows(self, pool: str, points: int) -> list[dict[str, float]]:
        """At most `points` rows in order of time; each stands for its bin's last instant.

        `available_min` is the least available within the bin, so that no short dip is lost.
        """
        ring = self._rings.get(pool)
        if ring is None or self._count == 0:
            return []
        kept = min(self._count, len(ring))
        order = np.arange(self._count - kept, self._count) % len(ring)
        ends = np.unique(np.linspace(0, kept, min(points, kept) + 1).astype(int)[1:])
        starts = np.concatenate(([0], ends[:-1]))
        table = ring[order]
        lows = np.minimum.reduceat(table[:, COLUMNS.index("available")], starts)
        return [
            {
                **dict(zip(COLUMNS, map(float, table[end - 1]), strict=True)),
                "available_min": float(low),
            }
            for end, low in zip(ends, lows, strict=True)
        ]

    def since(self, pool: str, t: float) -> list[list[float]]:
        """Rows of `COLUMNS` that are not older than wall time `t`, oldest first."""
        ring = self._rings.get(pool)
        if ring is None or self._count == 0:
            return []
        kept = min(self._count, len(ring))
        table = ring[np.arange(self._count - kept, self._count) % len(ring)]
        rows: list[list[float]] = table[table[:, COLUMNS.index("t")] >= t].tolist()
        return rows

    def reach_s(self) -> float:
        """Wall seconds between the oldest and the newest row kept."""
        for ring in self._rings.values():
            kept = min(self._count, len(ring))
            if kept:
                oldest = ring[(self._count - kept) % len(ring), 1]
                return float(ring[(self._count - 1) % len(ring), 1] - oldest)
        return 0.0

    def _grow(self) -> None:
        rows = len(next(iter(self._rings.values())))
        if self._count < rows:
            return
        needed = 2 * rows * len(COLUMNS) * 8 * len(self._rings)
        if self._count == rows and needed <= self._budget_bytes:
            for name, ring in self._rings.items():
                self._rings[name] = np.concatenate((ring, np.empty_like(ring)))
