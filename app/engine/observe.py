"""What a finished run tells about its limits: which bound, when first, how close others came.

Looks at the driver after each batch; amounts are weighted by how long they stood.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from app.engine.driver import Driver

#: of a pool's capacity, for the p99 of its demand
BINS = 1_000
#: points of the curve that a report draws
MAX_POINTS = 240
#: what an admission gate is called in a comparison
LIMITS = {"rows": "slots", "tokens": "kv", "chunk": "prefill_chunk"}
#: a gate that held back for a smaller share of the run does not count as the one that binds
BINDING_FRAC = 0.01


class Observer:
    """Watches one driver from its start to its end."""

    def __init__(self, driver: "Driver") -> None:
        self._driver = driver
        self._last_ns = 0
        self._blocked_ns = dict.fromkeys(LIMITS, 0)
        self._first_ns: dict[str, int] = {}
        self._first_retraction_ns: int | None = None
        self._usage = {name: np.zeros(BINS + 1, np.int64) for name in driver.pools}
        self._peak_running = self._peak_waste = 0
        self._points: list[tuple[float, int, int, float]] = []
        self._gap_s = 0.0
        driver.ledger.keep_all_waits()

    def note(self) -> None:
        """After a batch."""
        driver = self._driver
        took = driver.now_ns - self._last_ns
        self._last_ns = driver.now_ns
        prefill, running = driver.scheduler.prefill, driver.scheduler.running
        gate = prefill.blocked_by if prefill.waiting else None
        if gate is not None:
            self._blocked_ns[gate] += took
            self._first_ns.setdefault(gate, driver.now_ns)
        if self._first_retraction_ns is None and driver.ledger.counts["retracted_total"]:
            self._first_retraction_ns = driver.now_ns
        self._peak_running = max(self._peak_running, len(running))
        page = driver.plan.page_size
        waste = int((-running.column("kv_len") % page).sum())
        self._peak_waste = max(self._peak_waste, waste)
        for name, frac in self._fracs().items():
            self._usage[name][min(int(frac * BINS), BINS)] += took
        self._point(len(running), len(prefill.waiting))

    def result(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        driver = self._driver
        limit = self._binding()
        waits = driver.ledger.wait_quantiles_s()
        counts = driver.ledger.counts
        prompt = counts["prompt_tokens_total"]
        return {
            "binding_limit": LIMITS[limit] if limit else "none",
            "first_bind_s": self._first_ns[limit] / 1e9 if limit else None,
            "bound_frac": self._share(limit) if limit else 0.0,
            "first_retraction_s": _seconds(self._first_retraction_ns),
            "peak_running": self._peak_running,
            "queue_wait_s": {"p50": waits[0], "p95": waits[1]},
            "retracted": counts["retracted_total"],
            "recomputed_tokens": counts["recomputed_tokens_total"],
            "page_waste_tokens_peak": self._peak_waste,
            "prefix_hit_frac": counts["prefix_hit_tokens_total"] / prompt if prompt else None,
            "mm_fallbacks": counts["mm_fallbacks_total"],
            "backup_skipped": counts["backup_skipped_total"],
            "margins": {name: self._margin(name) for name in driver.pools if name != "radix"},
            "curve": [list(point) for point in self._points],
        }

    def _fracs(self) -> dict[str, float]:
        """Share of each pool that is in use and cannot be had by evicting."""
        pools = self._driver.set
        kv = pools.kv
        used = {
            pools.slots.name: 1 - pools.slots.available_size() / pools.slots.size,
            kv.name: 1 - pools.reclaimable() / kv.size,
        }
        if pools.host is not None:
            used[pools.host.name] = 1 - pools.host.available_size() / pools.host.size
        if pools.features is not None:
            space = pools.features.space
            used[pools.features.name] = 1 - space.total / (space.end - space.begin)
        return used

    def _binding(self) -> str | None:
        longest = max(self._blocked_ns, key=self._blocked_ns.__getitem__)
        return longest if self._share(longest) >= BINDING_FRAC else None

    def _share(self, gate: str) -> float:
        return self._blocked_ns[gate] / max(self._driver.now_ns, 1)

    def _margin(self, name: str) -> float:
        """1 less the share of the pool that was in use for 99 % of the time."""
        usage = self._usage[name]
        reached = np.searchsorted(np.cumsum(usage), 0.99 * usage.sum())
        return round(1 - int(reached) / BINS, 3)

    def _point(self, running: int, queued: int) -> None:
        t_s = self._driver.now_ns / 1e9
        if self._points and t_s - self._points[-1][0] < self._gap_s:
            return
        kv = self._driver.set
        used = round(1 - kv.reclaimable() / kv.kv.size, 4)
        self._points.append((round(t_s, 3), running, queued, used))
        if len(self._points) > MAX_POINTS:
            self._points = self._points[::2]
            self._gap_s = max(2 * self._gap_s, t_s / MAX_POINTS)


def _seconds(ns: int | None) -> float | None:
    return None if ns is None else ns / 1e9
