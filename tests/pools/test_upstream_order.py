"""Orders and losses that SGLang's classes have and ours keep; `make conformance` found each."""

import numpy as np
import pytest

from pools.errors import DoubleFree, ForeignIndex
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.radix import Radix
from pools.kinds.request_slots import RequestSlots

PAGE = 4


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def tokens_of(*pages: int) -> np.ndarray:
    return (ids(*pages)[:, None] * PAGE + np.arange(PAGE)).ravel()


def keep(tree: Radix, kv: KvTokens, *key: int) -> None:
    given = kv.alloc(len(key), owner=1)
    assert given is not None
    present = tree.insert(ids(*key), given)
    if present:
        kv.free(given[:present])


def test_segment_goes_back_in_its_own_order_where_a_free_sorts() -> None:
    for free, expected in (("free", [2, 5, 8]), ("free_segment", [5, 2, 8])):
        kv = KvPages(10 * PAGE, PAGE)
        kv.alloc(10 * PAGE, 1)
        getattr(kv, free)(tokens_of(5, 2, 8)[:-1])
        assert kv.free_units()[0].tolist() == expected


@pytest.mark.parametrize(
    ("segment", "error"),
    [
        (ids(5, 6), ForeignIndex),
        (ids(4, 5, 6, 7, 9), ForeignIndex),
        (ids(4, 5, 10, 11), ForeignIndex),
        (ids(*tokens_of(1), *tokens_of(1)), DoubleFree),
    ],
    ids=["begins within", "goes on within", "changes page within", "page twice"],
)
def test_segment_that_is_none_is_refused_whole(segment: np.ndarray, error: type) -> None:
    kv = KvPages(8 * PAGE, PAGE)
    kv.alloc(8 * PAGE, 1)
    with pytest.raises(error):
        kv.free_segment(segment)
    assert kv.available_size() == 0


def test_cut_off_part_of_a_node_counts_as_used() -> None:
    kv = KvTokens(32)
    tree = Radix(kv, 1)
    keep(tree, kv, 1, 1, 1, 1)
    keep(tree, kv, 2, 2, 2)
    tree.match_prefix(ids(1, 1))
    assert tree.evict(1) == 3, "the second key is the oldest: a match cut the first and used it"


def test_leaf_inserted_last_is_evicted_last() -> None:
    kv = KvTokens(32)
    tree = Radix(kv, 1)
    keep(tree, kv, 1, 1, 1, 1)
    keep(tree, kv, 1, 1, 2)
    assert tree.evict(1) == 2, "the part that was cut off, not the leaf that cut it off"


def test_hits_count_inserts_and_not_matches() -> None:
    kv = KvTokens(32)
    tree = Radix(kv, 1, eviction_policy="lfu")
    keep(tree, kv, 1, 1)
    keep(tree, kv, 2, 2, 2)
    keep(tree, kv, 2, 2, 2)
    for _ in range(3):
        tree.match_prefix(ids(1, 1))
    assert tree.evict(1) == 2, "matched often, inserted once"


def test_negative_host_size_counts_merged_slots_alone() -> None:
    host = HostLogical(8 * PAGE, PAGE, checks="upstream")
    for _ in range(6):
        given = host.alloc(PAGE)
        assert given is not None
        host.free(given)
    taken = host.alloc(-PAGE)
    assert taken is not None
    assert taken.tolist() == list(range(6 * PAGE, 7 * PAGE)), "two pages are merged, one is left"


def test_row_beyond_the_table_loses_the_rows_of_its_call() -> None:
    rows = RequestSlots(8, 4, checks="upstream")
    rows.free([99])
    with pytest.raises(IndexError, match="index 99 is out of bounds for dimension 0 with size 9"):
        rows.alloc(2)
    assert rows.available_size() == 7
    assert rows.residual() == 1
    assert rows.generation.max() == 0, "no generation grew"


def test_row_twice_in_one_call_grows_once() -> None:
    rows = RequestSlots(8, 4, checks="upstream")
    rows.free([8])
    assert rows.alloc(2) == [8, 8]
    assert rows.generation[7] == 1
