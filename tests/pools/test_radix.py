"""The prefix tree over a real paged pool: shares, locks, evicts, and keeps its host copies."""

import numpy as np
import pytest

from pools.errors import IntegrityError
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.radix import Radix
from pools.snapshot import EVICTABLE, PROTECTED
from pools.structures.kv_buffers import KvBuffers

PAGE = 4


def build(pages: int = 32, host_pages: int = 0) -> tuple[KvPages, Radix, HostLogical | None]:
    kv = KvPages(pages * PAGE, PAGE, buffers=KvBuffers((pages + 1) * PAGE))
    host = HostLogical(host_pages * PAGE, PAGE) if host_pages else None
    return kv, Radix(kv, PAGE, host=host), host


def keep(kv: KvPages, tree: Radix, key: list[int], owner: int = 1) -> np.ndarray:
    """Allocate for a key and insert it; duplicates are freed as a request would."""
    tokens = np.array(key, np.int64)
    ids = kv.alloc(len(tokens), owner)
    assert ids is not None
    kv.stamp(ids, 1, 1, 0)
    present = tree.insert(tokens, ids, owner)
    if present:
        kv.free(ids[:present])
    return tokens


def check(kv: KvPages, tree: Radix) -> None:
    kv.audit()
    tree.audit()
    assert kv.residual() == 0


def test_radix_match_returns_the_inserted_ids() -> None:
    kv, tree, _ = build()
    ids = kv.alloc(8, 1)
    assert ids is not None
    assert tree.insert(np.arange(8), ids) == 0
    match = tree.match_prefix(np.arange(8))
    assert match.indices.tolist() == ids.tolist()
    check(kv, tree)


def test_radix_match_is_whole_pages_only() -> None:
    kv, tree, _ = build()
    keep(kv, tree, list(range(12)))
    assert len(tree.match_prefix(np.arange(11)).indices) == 8
    assert len(tree.match_prefix(np.arange(3)).indices) == 0


def test_radix_split_shares_the_common_prefix() -> None:
    kv, tree, _ = build()
    keep(kv, tree, [0, 1, 2, 3, 4, 5, 6, 7])
    keep(kv, tree, [0, 1, 2, 3, 9, 9, 9, 9])
    assert tree.total_size() == 12
    assert kv.snapshot(0).evictable == 3
    check(kv, tree)


def test_radix_lock_protects_ancestors_and_cells() -> None:
    kv, tree, _ = build()
    keep(kv, tree, list(range(8)))
    keep(kv, tree, [0, 1, 2, 3, 9, 9, 9, 9])
    match = tree.match_prefix(np.arange(8))
    tree.inc_lock_ref(match.node)
    assert (tree.protected_size(), tree.evictable_size()) == (8, 4)
    assert int((kv.state == PROTECTED).sum()) == 2
    assert tree.evict(1000) == 4
    check(kv, tree)
    tree.dec_lock_ref(match.node)
    assert (tree.protected_size(), tree.evictable_size()) == (0, 8)
    assert int((kv.state == EVICTABLE).sum()) == 2
    check(kv, tree)
    with pytest.raises(IntegrityError):
        tree.dec_lock_ref(match.node)


def test_radix_evicts_the_least_recently_used_leaf_whole() -> None:
    kv, tree, _ = build()
    keep(kv, tree, [1] * 4)
    keep(kv, tree, [2] * 12)
    keep(kv, tree, [3] * 4)
    tree.match_prefix(np.array([1] * 4))
    assert tree.evict(1) == 12
    assert len(tree.match_prefix(np.array([2] * 4)).indices) == 0
    assert len(tree.match_prefix(np.array([1] * 4)).indices) == 4
    check(kv, tree)


def test_radix_split_under_a_lock_keeps_the_lock() -> None:
    kv, tree, _ = build()
    keep(kv, tree, list(range(8)))
    match = tree.match_prefix(np.arange(8))
    tree.inc_lock_ref(match.node)
    keep(kv, tree, [0, 1, 2, 3, 9, 9, 9, 9])
    check(kv, tree)
    assert tree.evict(1000) == 4
    tree.dec_lock_ref(match.node)
    assert tree.protected_size() == 0
    check(kv, tree)


def test_radix_disabled_keeps_nothing() -> None:
    kv = KvPages(64, PAGE)
    tree = Radix(kv, PAGE, disabled=True)
    ids = kv.alloc(8, 1)
    assert ids is not None
    assert tree.insert(np.arange(8), ids) == 0
    assert kv.held_by(1) == 2
    kv.free(ids)
    assert len(tree.match_prefix(np.arange(8)).indices) == 0
    check(kv, tree)


def test_radix_evicted_node_with_a_backup_is_demoted_and_loads_back() -> None:
    kv, tree, host = build(host_pages=32)
    assert host is not None
    key = keep(kv, tree, list(range(16)))
    assert tree.back_up(tree.match_prefix(key).node) == 16
    assert host.available_size() == 32 * PAGE - 16
    tree.evict(16)
    assert kv.available_size() == 32 * PAGE
    match = tree.match_prefix(key)
    assert (len(match.indices), match.host_hit_tokens) == (0, 16)
    loaded = tree.load_back(match)
    assert len(loaded.indices) == 16
    assert len(tree.match_prefix(key).indices) == 16
    check(kv, tree)
    host.audit()


def test_radix_backup_drops_the_oldest_host_copy_when_the_host_is_full() -> None:
    kv, tree, host = build(host_pages=2)
    assert host is not None
    old = keep(kv, tree, [1] * 8)
    tree.back_up(tree.match_prefix(old).node)
    tree.evict(8)
    new = keep(kv, tree, [2] * 8)
    assert tree.back_up(tree.match_prefix(new).node) == 8
    assert tree.match_prefix(old).host_hit_tokens == 0
    third = keep(kv, tree, [3] * 8)
    assert tree.back_up(tree.match_prefix(third).node) is None, "both copies are still in use"
    assert tree.snapshot(0).extra["backup_skipped_total"] == 1
    check(kv, tree)


def test_radix_random_traffic_stays_conserved() -> None:
    rng = np.random.default_rng(11)
    kv, tree, host = build(pages=64, host_pages=48)
    assert host is not None
    locked: list = []
    for step in range(3000):
        key = rng.integers(0, 3, int(rng.integers(1, 9)) * PAGE).repeat(1).astype(np.int64)
        key = (key.reshape(-1, PAGE)[:, :1] * np.ones(PAGE, np.int64)).ravel().astype(np.int64)
        match = tree.load_back(tree.match_prefix(key))
        tree.inc_lock_ref(match.node)
        need = len(key) - len(match.indices)
        if need > kv.available_size():
            tree.evict(need - kv.available_size())
        fresh = kv.alloc(need, step) if need else np.empty(0, np.int64)
        if fresh is None:
            tree.dec_lock_ref(match.node)
        else:
            kv.stamp(fresh, 1, step, len(match.indices))
            ids = np.concatenate((match.indices, fresh))
            present = tree.insert(key, ids, step)
            if present > len(match.indices):
                kv.free(ids[len(match.indices) : present])
            tree.dec_lock_ref(match.node)
            node = tree.match_prefix(key).node
            tree.back_up(node)
            tree.inc_lock_ref(node)
            locked.append(node)
        while locked and (len(locked) > 3 or rng.random() < 0.4):
            tree.dec_lock_ref(locked.pop(int(rng.integers(len(locked)))))
        if step % 50 == 0:
            check(kv, tree)
            host.audit()
            assert host.residual() == 0
    check(kv, tree)
