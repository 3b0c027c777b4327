"""The prefix tree refuses what would break its sums, and then nothing has changed."""

from collections.abc import Callable

import numpy as np
import pytest

from pools.errors import DoubleFree, ForeignIndex, IntegrityError, InvalidSize, MemoryCorrupted
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.radix import Radix
from pools.structures.kv_buffers import KvBuffers
from pools.structures.prefix_tree import Match

PAGE = 4
HELD, GONE = np.arange(4, 12), np.arange(100, 108)


def build(host_pages: int = 16) -> tuple[KvPages, Radix, HostLogical]:
    """A tree of [0 .. 7] in pages 1 and 2, and 2 pages, 3 and 4, that request 9 holds."""
    kv, host = KvPages(128, PAGE, buffers=KvBuffers(132)), HostLogical(host_pages * PAGE, PAGE)
    tree = Radix(kv, PAGE, host=host)
    keep(kv, tree, np.arange(8))
    assert kv.alloc(8, 9) is not None
    return kv, tree, host


def keep(kv: KvPages, tree: Radix, key: np.ndarray) -> None:
    ids = kv.alloc(len(key), 1)
    assert ids is not None
    kv.stamp(ids, 1, 1, 0)
    tree.insert(key, ids)


def sums(kv: KvPages, tree: Radix) -> tuple[object, ...]:
    shown = kv.snapshot(0.0)
    return (tree.snapshot(0.0), shown.available, shown.evictable, shown.protected, shown.held)


def refused(kv: KvPages, tree: Radix, call: Callable[[], object], error: type[Exception]) -> None:
    before, cells = sums(kv, tree), kv.geometry()
    with pytest.raises(error):
        call()
    assert sums(kv, tree) == before
    assert np.array_equal(kv.geometry().state, cells.state)
    tree.audit()
    kv.audit()


@pytest.mark.parametrize(
    ("indices", "error"),
    [
        (np.arange(20, 28), ForeignIndex),  # free pages
        (GONE + 10_000, ForeignIndex),  # of no pool
        (np.array([12, 13, 14, 15, 12, 13, 14, 15]), DoubleFree),
        (np.array([13, 14, 15, 16, 17, 18, 19, 20]), ForeignIndex),  # begins inside a page
        (np.array([12, 13, 14, 15, 16, 17, 19, 18]), ForeignIndex),  # not in order
        (np.arange(12, 19), InvalidSize),
    ],
)
@pytest.mark.parametrize("key", [np.arange(50, 58), np.array([0, 1, 2, 3, *range(50, 58)])])
def test_insert_of_wrong_indices_keeps_nothing(
    key: np.ndarray, indices: np.ndarray, error: type[Exception]
) -> None:
    kv, tree, _ = build()
    shared = np.arange(4, 8) if len(key) > 8 else np.empty(0, np.int64)
    refused(kv, tree, lambda: tree.insert(key, np.concatenate((shared, indices))), error)


def test_insert_over_a_demoted_prefix_takes_over_all_or_nothing() -> None:
    kv, tree, _ = build()
    tree.back_up(tree.match_prefix(np.arange(8)).node)
    tree.evict(8)
    key = np.arange(12)
    wrong = np.concatenate((np.arange(12, 20), np.arange(40, 44)))
    refused(kv, tree, lambda: tree.insert(key, wrong), ForeignIndex)
    mine = kv.alloc(12, 5)
    assert mine is not None
    assert tree.insert(key, mine) == 0
    assert tree.match_prefix(key).indices.tolist() == mine.tolist()
    assert kv.held_by(5) == 0
    tree.audit()
    kv.audit()


def test_lock_of_a_node_that_was_evicted_is_refused() -> None:
    kv, tree, _ = build()
    node = tree.match_prefix(np.arange(8)).node
    tree.evict(8)
    refused(kv, tree, lambda: tree.inc_lock_ref(node), ForeignIndex)


def test_lock_from_before_a_clear_is_refused() -> None:
    kv, tree, _ = build()
    keep(kv, tree, np.array([0, 1, 2, 3, 9, 9, 9, 9]))
    node = tree.match_prefix(np.arange(8)).node
    tree.inc_lock_ref(node)
    tree.clear()
    kv.clear()
    assert (tree.protected_size(), tree.evictable_size(), kv.residual()) == (0, 0, 0)
    refused(kv, tree, lambda: tree.dec_lock_ref(node), ForeignIndex)
    refused(kv, tree, lambda: tree.inc_lock_ref(node), ForeignIndex)
    tree.dec_lock_ref(tree.root)


def test_unlock_without_a_lock_is_refused() -> None:
    kv, tree, _ = build()
    node = tree.match_prefix(np.arange(8)).node
    refused(kv, tree, lambda: tree.dec_lock_ref(node), IntegrityError)


def test_match_that_the_host_dropped_is_not_loaded_back() -> None:
    kv, tree, _ = build()
    keep(kv, tree, np.arange(100, 112))
    tree.back_up(tree.match_prefix(np.arange(100, 112)).node)
    tree.evict(20)
    match = tree.match_prefix(np.arange(100, 112))
    assert match.host_hit_tokens == 12
    assert tree.evict_host(12) == 12
    refused(kv, tree, lambda: tree.load_back(match), ForeignIndex)


def test_match_that_is_back_already_is_not_loaded_twice() -> None:
    kv, tree, _ = build()
    keep(kv, tree, np.arange(100, 112))
    tree.back_up(tree.match_prefix(np.arange(100, 112)).node)
    tree.evict(20)
    match: Match = tree.match_prefix(np.arange(100, 112))
    assert len(tree.load_back(match).indices) == 12
    refused(kv, tree, lambda: tree.load_back(match), ForeignIndex)


def test_corrupted_leaf_stays_and_can_be_evicted_later() -> None:
    kv, tree, _ = build()
    kv.stamp(np.array([5]), 3, 3, 3)
    for _ in range(2):
        refused(kv, tree, lambda: tree.evict(8), MemoryCorrupted)
    kv.stamp(np.array([5]), 1, 1, 1)
    assert tree.evict(8) == 8
    assert tree.snapshot(0.0).extra["evicted_tokens_total"] == 8


def test_backup_that_stops_half_way_counts_what_it_copied() -> None:
    kv, tree, host = build(host_pages=3)
    keep(kv, tree, np.arange(12))
    kv.free(np.arange(12, 20))
    node = tree.match_prefix(np.arange(12)).node
    taken = host.alloc(PAGE)
    assert taken is not None
    assert tree.back_up(node) is None
    assert host.available_size() == 0
    assert tree.snapshot(0.0).extra["backed_up_tokens_total"] == 8
    host.free(taken)
    assert tree.back_up(node) == 4
    assert tree.snapshot(0.0).extra["backed_up_tokens_total"] == 12
