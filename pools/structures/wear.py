"""How fast slots wear: leases per second and the growth of the highest generation."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import Generations

#: rates are taken over this much of the engine's clock
WINDOW_S = 10.0
#: shorter histories count as this long, so that the first lease is no rate of thousands
MIN_SPAN_S = 1.0
QUANTILES = (0.50, 0.90, 0.99)


class Wear:
    """Reuse of slots over the last ten seconds of the engine's clock, in buckets of one second.

    Attributes:
        bumps_total: leases since the pool was built.
        highest: highest generation of any slot.
    """

    def __init__(self) -> None:
        self.bumps_total = self.highest = 0
        self._buckets: deque[list[float]] = deque()
        self._bucket_ends_s = self._since_s = -np.inf

    def note(self, generation: int, now_s: float) -> None:
        """A slot was leased and carries `generation` now. O(1)."""
        if now_s >= self._bucket_ends_s or not self._buckets:
            self._open_bucket(now_s)
        bucket = self._buckets[-1]
        self.bumps_total += 1
        bucket[1] += 1
        if generation > self.highest:
            bucket[2] += generation - self.highest
            self.highest = generation

    def restart(self, highest: int) -> None:
        """Generations were set from outside: what was measured says nothing any more."""
        self._buckets.clear()
        self.highest = highest

    def describe(
        self, generation: NDArray[np.uint32], limit: int, now_s: float, least_s_per_bump: float
    ) -> Generations:
        """Figures over all slots; one vectorised scan.

        Args:
            generation: uint32 (num_slots,).
            limit: highest generation a lease may carry.
            now_s: seconds of the engine's clock.
            least_s_per_bump: a slot cannot be reused faster than this.
        """
        bumps_per_s, growth_per_s = self._rates(now_s)
        hottest = int(generation.argmax())
        highest = int(generation[hottest])
        left = limit - highest
        seconds = None
        if left <= 0:
            seconds = 0.0
        elif growth_per_s > 0:
            seconds = max(left / growth_per_s, left * least_s_per_bump)
        at = [round(share * (generation.size - 1)) for share in QUANTILES]
        p50, p90, p99 = np.partition(generation, at)[at].tolist()
        return Generations(
            limit=limit,
            max=highest,
            hottest_slot=hottest,
            quantiles=(p50, p90, p99),
            bumps_total=self.bumps_total,
            bumps_per_s=bumps_per_s,
            seconds_until_limit=seconds,
        )

    def _open_bucket(self, now_s: float) -> None:
        if not self._buckets:
            self._since_s = now_s
        while self._buckets and self._buckets[0][0] <= now_s - WINDOW_S:
            self._buckets.popleft()
        self._buckets.append([now_s, 0, 0])
        self._bucket_ends_s = now_s + 1.0

    def _rates(self, now_s: float) -> tuple[float, float]:
        live = [bucket for bucket in self._buckets if bucket[0] > now_s - WINDOW_S]
        span_s = min(WINDOW_S, max(MIN_SPAN_S, now_s - self._since_s))
        return sum(b[1] for b in live) / span_s, sum(b[2] for b in live) / span_s
