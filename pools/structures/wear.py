"""How fast slots wear: leases per second and the growth of the highest generation."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pools.snapshot import Generations

#: rates are taken over the running second of the engine's clock and the nine before it
WINDOW_S = 10
#: shorter histories count as this long, so that the first lease is no rate of thousands
MIN_SPAN_S = 1.0
QUANTILES = (0.50, 0.90, 0.99)


class Wear:
    """Reuse of slots over the last ten seconds of the engine's clock, counted second by second.

    Attributes:
        bumps_total: leases since the pool was built.
        highest: highest generation of any slot.
    """

    def __init__(self) -> None:
        self.bumps_total = self.highest = 0
        # (second, leases in it, growth of the highest generation in it)
        self._seconds: deque[list[int]] = deque(maxlen=WINDOW_S)
        self._since_s = 0.0

    def note(self, generation: int, now_s: float) -> None:
        """A slot was leased and carries `generation` now. O(1)."""
        second = int(now_s)
        if not self._seconds:
            self._since_s = now_s
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append([second, 0, 0])
        running = self._seconds[-1]
        self.bumps_total += 1
        running[1] += 1
        if generation > self.highest:
            running[2] += generation - self.highest
            self.highest = generation

    def restart(self, highest: int) -> None:
        """Generations were set from outside: what was measured says nothing any more."""
        self._seconds.clear()
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

    def _rates(self, now_s: float) -> tuple[float, float]:
        first = int(now_s) - WINDOW_S + 1
        span_s = max(MIN_SPAN_S, now_s - max(first, self._since_s))
        live = [(bumps, growth) for second, bumps, growth in self._seconds if second >= first]
        return sum(bumps for bumps, _ in live) / span_s, sum(grown for _, grown in live) / span_s
