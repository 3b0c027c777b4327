"""One alloc and one free at steady state, ours against plain peers, in batches of 1, 32 and 1024.

A batch counts rows, tokens or leases; where pages are handed out, tokens rounded up to whole pages.
Ours does more in the same time: strict checks, a state, an owner and a generation per cell.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from benchmarks.figure import Figure, geometric_mean, short_time
from benchmarks.peers.features import Features
from benchmarks.peers.host import HostSlots
from benchmarks.peers.pages import Pages
from benchmarks.peers.rows import Rows
from benchmarks.peers.tokens import Tokens
from benchmarks.timing import medians
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.request_slots import RequestSlots
from pools.structures.kv_buffers import KvBuffers

BATCHES = (1, 32, 1024)
ROWS, TOKENS, PAGE = 4096, 1 << 20, 16
FEATURE_BYTES, FEATURE_SLOTS, HOLES, HOLE_BYTES = 256 << 20, 4096, 1024, 64 << 10
OWNER = 7
LEAST_MEAN = 8.0

Call = Callable[[], object]
Pair = tuple[Call, Call]
Given = TypeVar("Given")


def bench() -> Iterator[Figure]:
    """A figure per kind and batch, the geometric mean, and what the memory check costs."""
    ratios = []
    for name, pair in PAIRS.items():
        for batch in BATCHES:
            ours, peer = medians(*pair(batch))
            ratios.append(peer / ours)
            note = f"{short_time(ours)} against {short_time(peer)}"
            yield Figure(f"{name}, batch {batch}", peer / ours, "x", target=1.0, note=note)
    mean = geometric_mean(ratios)
    yield Figure("geometric mean of all pairs", mean, "x", target=LEAST_MEAN)
    yield from memory_check()


def memory_check() -> Iterator[Figure]:
    """What stamping every token and reading it back adds to an alloc and a free."""
    for batch in BATCHES:
        plain, checked = medians(
            stamped_pages(batch, check=False), stamped_pages(batch, check=True)
        )
        note = f"{short_time(checked)} against {short_time(plain)}"
        yield Figure(f"kv_pages with memory check, batch {batch}", checked / plain, "x", note=note)


def rows(batch: int) -> Pair:
    """Rows of the request table."""
    ours, peer = RequestSlots(ROWS, 1), Rows(ROWS)
    ours.alloc(ROWS // 2)
    peer.alloc(ROWS // 2)
    return lambda: ours.free(some(ours.alloc(batch))), lambda: peer.free(some(peer.alloc(batch)))


def tokens(batch: int) -> Pair:
    """Single tokens of a pool of 10^6, first in first out."""
    return of_tokens(batch, staged=False)


def staged_tokens(batch: int) -> Pair:
    """The same, frees set aside and sorted when short."""
    return of_tokens(batch, staged=True)


def of_tokens(batch: int, *, staged: bool) -> Pair:
    """Half of the pool is taken, and what is free lies in shuffled order."""
    ours, peer = KvTokens(TOKENS, need_sort=staged), Tokens(TOKENS, staged=staged)
    taken = some(ours.alloc(TOKENS, OWNER))
    back = np.random.default_rng(0).permutation(taken)[: TOKENS // 2]
    ours.free(back)
    lent = some(peer.alloc(TOKENS))
    peer.free(lent[back - 1])
    return (
        lambda: ours.free(some(ours.alloc(batch, OWNER))),
        lambda: peer.free(some(peer.alloc(batch))),
    )


def pages(batch: int) -> Pair:
    """Pages of 16 tokens of the same pool."""
    ours, peer = KvPages(TOKENS, PAGE), Pages(TOKENS, PAGE)
    ours.alloc(TOKENS // 2, OWNER)
    peer.alloc(TOKENS // 2)
    need = whole_pages(batch)
    return (
        lambda: ours.free(some(ours.alloc(need, OWNER))),
        lambda: peer.free(some(peer.alloc(need))),
    )


def host(batch: int) -> Pair:
    """Host slots in pages of 16."""
    ours, peer = HostLogical(TOKENS, PAGE), HostSlots(TOKENS)
    ours.alloc(TOKENS // 2)
    peer.alloc(TOKENS // 2)
    need = whole_pages(batch)
    return lambda: ours.free(some(ours.alloc(need))), lambda: peer.free(some(peer.alloc(need)))


def features(batch: int) -> Pair:
    """Leases of 16 to 64 KiB among 1,024 holes, and the pass that joins neighbours."""
    ours = MmFeature(FEATURE_BYTES, 2, num_slots=FEATURE_SLOTS)
    peer = Features(ours.capacity, FEATURE_SLOTS)
    taken = [some(ours.lease(HOLE_BYTES, 0.0)) for _ in range(2 * HOLES)]
    lent = [some(peer.lease(HOLE_BYTES)) for _ in range(2 * HOLES)]
    for at in range(0, 2 * HOLES, 2):
        ours.release(taken[at])
        peer.release(lent[at])
    ours.space.merge()
    peer.merge()
    sizes = np.random.default_rng(1).integers(16 << 10, HOLE_BYTES, batch).tolist()

    def lease_ours() -> None:
        for lease in [some(ours.lease(size, 0.0)) for size in sizes]:
            ours.release(lease)
        ours.space.merge()

    def lease_peer() -> None:
        for lease in [some(peer.lease(size)) for size in sizes]:
            peer.release(lease)
        peer.merge()

    return lease_ours, lease_peer


def stamped_pages(batch: int, *, check: bool) -> Call:
    """Alloc, write and free of whole pages over real buffers."""
    buffers = KvBuffers(TOKENS + PAGE, memory_check=check)
    pool = KvPages(TOKENS, PAGE, buffers=buffers)
    need = whole_pages(batch)

    def use() -> None:
        ids = some(pool.alloc(need, OWNER))
        if check:
            pool.stamp(ids, 3, 1, 0)
        pool.free(ids)

    return use


def whole_pages(tokens: int) -> int:
    """Tokens rounded up to whole pages."""
    return -(-tokens // PAGE) * PAGE


def some(given: Given | None) -> Given:
    """What a pool gave, which must be something: a benchmark of refusals measures nothing."""
    if given is None:
        raise RuntimeError("a pool of the benchmark ran out")
    return given


PAIRS: dict[str, Callable[[int], Pair]] = {
    "request_slots": rows,
    "kv_tokens": tokens,
    "kv_tokens, staged": staged_tokens,
    "kv_pages": pages,
    "host_logical": host,
    "mm_feature": features,
}

BENCH = bench
