"""The longest calls of the plain peers, and how much shorter ours are."""

import statistics
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.figure import Figure, short_time
from benchmarks.peers.features import Features
from benchmarks.peers.tokens import Tokens
from benchmarks.peers.tree import Leaves
from benchmarks.timing import medians, once
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.radix import Radix

OWNER, SIZE, RANGES, LEAVES = 7, 1_000_000, 4096, 100_000
LEAST_SORT, LEAST_FIT, LEAST_EVICT = 30.0, 100.0, 500.0
#: so many staged sorts, each after the same frees; the median counts
SORTS = 7


def bench() -> Iterator[Figure]:
    """A staged sort of 10^6 ids, a best fit among 4,096 ranges, one leaf of 10^5."""
    yield staged_sort()
    yield best_fit()
    yield evict_one()


def staged_sort() -> Figure:
    """The alloc that finds the free list short and everything else set aside."""
    ours = short_alloc(KvTokens(SIZE, need_sort=True))
    peer_pool = Tokens(SIZE, staged=True)
    order = torch.from_numpy(np.random.default_rng(0).permutation(SIZE) + 1)

    def sort() -> None:
        peer_pool.free_ids, peer_pool.released = order[:0], order
        peer_pool.alloc(1)

    peer = statistics.median(once(sort) for _ in range(SORTS))
    note = f"{short_time(ours)} against {short_time(peer)}"
    return Figure("longest alloc, staged, 10^6 ids", peer / ours, "x", LEAST_SORT, note=note)


def short_alloc(pool: KvTokens) -> float:
    """Seconds of an alloc that finds everything set aside."""
    order = np.random.default_rng(0).permutation(SIZE)
    taken = []
    for _ in range(SORTS):
        ids = pool.alloc(SIZE, OWNER)
        if ids is None:
            raise RuntimeError("the pool of the benchmark ran out")
        pool.free(ids[order])
        taken.append(once(lambda: pool.alloc(1, OWNER)))
        pool.clear()
    return statistics.median(taken)


def best_fit() -> Figure:
    """Lease, release and merge among 4,096 holes of equal size."""
    ours = MmFeature(1 << 30, 2, num_slots=3 * RANGES)
    peer = Features(ours.capacity, 3 * RANGES)
    taken = [ours.lease(4096, 0.0) for _ in range(2 * RANGES)]
    lent = [peer.lease(4096) for _ in range(2 * RANGES)]
    for lease, other in zip(taken[::2], lent[::2], strict=True):
        if lease is None or other is None:
            raise RuntimeError("a pool of the benchmark ran out")
        ours.release(lease)
        peer.release(other)

    def lease_ours() -> None:
        lease = ours.lease(2048, 0.0)
        if lease is not None:
            ours.release(lease)
        ours.space.merge()

    def lease_peer() -> None:
        lease = peer.lease(2048)
        if lease is not None:
            peer.release(lease)
        peer.merge()

    mine, theirs = medians(lease_ours, lease_peer)
    note = f"{short_time(mine)} against {short_time(theirs)}"
    return Figure("best fit and merge, 4,096 ranges", theirs / mine, "x", LEAST_FIT, note=note)


def evict_one() -> Figure:
    """One leaf of 10^5, against building a heap of all leaves as upstream's Python tree does."""
    kv = KvTokens(2 * LEAVES)
    tree = Radix(kv, 1)
    keys = np.arange(2 * LEAVES, dtype=np.int64).reshape(LEAVES, 2)
    for key in keys:
        ids = kv.alloc(2, OWNER)
        if ids is None:
            raise RuntimeError("the pool of the benchmark ran out")
        tree.insert(key, ids, OWNER)
    peer = Leaves()
    for at in range(LEAVES):
        peer.insert(float(at), 2)
    mine, theirs = medians(lambda: tree.evict(1), lambda: peer.evict(1))
    note = f"{short_time(mine)} against {short_time(theirs)}"
    return Figure("evict one leaf of 10^5", theirs / mine, "x", LEAST_EVICT, note=note)


BENCH = bench
