"""What a call costs in a pool of 4 * 10^6, as a multiple of the same call in one of 10^5."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.figure import Figure, short_time
from benchmarks.timing import medians
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens

SMALL, LARGE, PAGE, OWNER, BATCH = 100_000, 4_000_000, 16, 7, 256
MOST = 1.5
PREFIX = "growth, "

Call = Callable[[], object]


def bench() -> Iterator[Figure]:
    """Alloc and free of 256 tokens, half of the pool taken; a batch of decodes."""
    for name, make in CALLS.items():
        small, large = medians(make(SMALL), make(LARGE))
        note = f"{short_time(large)} against {short_time(small)}"
        yield Figure(f"{PREFIX}{name}", large / small, "x", MOST, "at most", note)


def kv_tokens(size: int) -> Call:
    """Alloc and free."""
    pool = KvTokens(size)
    pool.alloc(size // 2, OWNER)
    return lambda: pool.free(given(pool.alloc(BATCH, OWNER)))


def kv_pages(size: int) -> Call:
    """Alloc and free of whole pages."""
    pool = KvPages(size, PAGE)
    pool.alloc(size // 2 // PAGE * PAGE, OWNER)
    return lambda: pool.free(given(pool.alloc(BATCH, OWNER)))


def decode(size: int) -> Call:
    """One token for each of 64 requests at a page's start, and the free of it."""
    pool = KvPages(size, PAGE)
    owners = np.arange(64)
    lens = np.full(64, PAGE + 1)
    last = np.array([given(pool.alloc(PAGE, owner))[-1] for owner in owners.tolist()])
    return lambda: pool.free(given(pool.alloc_decode(lens, last, owners)))


def host_logical(size: int) -> Call:
    """Alloc and free of host slots."""
    pool = HostLogical(size, PAGE)
    pool.alloc(size // 2 // PAGE * PAGE)
    return lambda: pool.free(given(pool.alloc(BATCH)))


def given(ids: np.ndarray | None) -> np.ndarray:
    """What a pool gave, which must be something."""
    if ids is None:
        raise RuntimeError("a pool of the benchmark ran out")
    return ids


CALLS: dict[str, Callable[[int], Call]] = {
    "kv_tokens": kv_tokens,
    "kv_pages": kv_pages,
    "kv_pages decode": decode,
    "host_logical": host_logical,
}

BENCH = bench
