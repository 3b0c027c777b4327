"""A full snapshot of a KV pool of 10^6 cells, free ranges and fragmentation included."""

from collections.abc import Iterator

import numpy as np

from benchmarks.figure import Figure
from benchmarks.timing import medians
from pools.kinds.kv_tokens import KvTokens

SIZE, OWNER, RUN = 1_000_000, 7, 512
NAMES = ("snapshot, free cells runs", "snapshot, free cells shuffled")
MOST_MS = (1.0, 5.0)


def bench() -> Iterator[Figure]:
    """With free cells in runs, as serving leaves them, and fully shuffled."""
    runs, shuffled = half_free(RUN), half_free(1)
    taken = medians(lambda: runs.snapshot(1.0), lambda: shuffled.snapshot(1.0))
    for name, most, seconds in zip(NAMES, MOST_MS, taken, strict=True):
        yield Figure(name, seconds * 1e3, "ms", most, "at most")


def half_free(run: int) -> KvTokens:
    """A pool of which random runs, half of all, are free."""
    pool = KvTokens(SIZE)
    ids = pool.alloc(SIZE, OWNER)
    if ids is None:
        raise RuntimeError("an empty pool gave nothing")
    chosen = np.random.default_rng(0).random(-(-SIZE // run)) < 0.5
    pool.free(ids[np.repeat(chosen, run)[:SIZE]])
    return pool


BENCH = bench
