"""When requests arrive: as the file says, drawn, or spread within a tick of the log."""

import numpy as np
from numpy.typing import NDArray

NS_PER_S = 1_000_000_000


def poisson(count: int, rate: float, seed: int) -> NDArray[np.int64]:
    """Arrivals with exponential gaps, the first at 0, nanoseconds [count].

    Args:
        count: how many.
        rate: per second.
        seed: the same one gives the same arrivals.
    """
    gaps_s = np.random.default_rng(seed).exponential(1.0 / rate, count)
    gaps_s[:1] = 0.0
    drawn: NDArray[np.int64] = np.rint(np.cumsum(gaps_s) * NS_PER_S).astype(np.int64)
    return drawn


def spread(sorted_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Arrivals of one tick, in equal steps over the time to the next tick.

    A tick without a successor, or before a silence, gets the median distance of ticks.

    Args:
        sorted_ns: arrivals in order of time, nanoseconds [n].
    """
    ticks, counts = np.unique(sorted_ns, return_counts=True)
    if len(ticks) < 2:
        return sorted_ns
    usual = int(np.median(np.diff(ticks)))
    widths = np.minimum(np.diff(ticks, append=ticks[-1] + usual), usual)
    first = np.cumsum(counts) - counts
    place = np.arange(len(sorted_ns)) - np.repeat(first, counts)
    steps = np.repeat(widths, counts) * place // np.repeat(counts, counts)
    spread_ns: NDArray[np.int64] = sorted_ns + steps
    return spread_ns
