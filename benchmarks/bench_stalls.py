"""The longest calls of the peers, and how much shorter ours are."""

import statistics
import time
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.figure import Figure, short_time
from benchmarks.op_pairs import some
from benchmarks.peers.chosen import peers
from benchmarks.timing import medians, once
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.radix import Radix

OWNER, SIZE, RANGES, LEAVES = 7, 1_000_000, 4096, 100_000
LEAST_SORT, LEAST_FIT, LEAST_EVICT = 30.0, 100.0, 500.0
SORT, FIT, EVICT = NAMES = (
    "longest alloc, staged, 10^6 ids",
    "best fit and merge, 4,096 ranges",
    "evict one leaf of 10^5, Python tree",
)
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
    peer = peers().tokens(SIZE, staged=True)
    order = torch.from_numpy(np.random.default_rng(0).permutation(SIZE))
    taken = []
    for _ in range(SORTS):
        peer.free(some(peer.alloc(SIZE))[order])
        began = time.perf_counter()
        one = some(peer.alloc(1))
        taken.append(time.perf_counter() - began)
        peer.free(one)
    theirs = statistics.median(taken)
    note = f"{short_time(ours)} against {short_time(theirs)}"
    return Figure(SORT, theirs / ours, "x", LEAST_SORT, note=note)


def short_alloc(pool: KvTokens) -> float:
    """Seconds of an alloc that finds everything set aside."""
    order = np.random.default_rng(0).permutation(SIZE)
    taken = []
    for _ in range(SORTS):
        pool.free(some(pool.alloc(SIZE, OWNER))[order])
        taken.append(once(lambda: pool.alloc(1, OWNER)))
        pool.clear()
    return statistics.median(taken)


def best_fit() -> Figure:
    """Lease, release and merge among 4,096 holes of equal size."""
    ours = MmFeature(1 << 30, 2, num_slots=3 * RANGES)
    peer = peers().features(ours.capacity, 3 * RANGES)
    taken = [some(ours.lease(4096, 0.0)) for _ in range(2 * RANGES)]
    lent = [some(peer.alloc(4096)) for _ in range(2 * RANGES)]
    for lease, other in zip(taken[::2], lent[::2], strict=True):
        ours.release(lease)
        peer.free(other)

    def lease_ours() -> None:
        ours.release(some(ours.lease(2048, 0.0)))
        ours.space.merge()

    def lease_peer() -> None:
        peer.free(some(peer.alloc(2048)))
        peer.merge()

    mine, theirs = medians(lease_ours, lease_peer)
    note = f"{short_time(mine)} against {short_time(theirs)}"
    return Figure(FIT, theirs / mine, "x", LEAST_FIT, note=note)


def evict_one() -> Figure:
    """One leaf of 10^5, against building a heap of all leaves as upstream's Python tree does."""
    kv = KvTokens(2 * LEAVES)
    tree = Radix(kv, 1)
    keys = np.arange(2 * LEAVES, dtype=np.int64).reshape(LEAVES, 2)
    for key in keys:
        tree.insert(key, some(kv.alloc(2, OWNER)), OWNER)
    evict = peers().leaves(torch.from_numpy(keys))
    mine, theirs = medians(lambda: tree.evict(1), lambda: evict(1))
    note = f"{short_time(mine)} against {short_time(theirs)}"
    return Figure(EVICT, theirs / mine, "x", LEAST_EVICT, note=note)


BENCH = bench
