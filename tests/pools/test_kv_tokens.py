"""Token-granular KV: first in first out, or staged and sorted."""

import numpy as np
import pytest

from pools.errors import DoubleFree, InvalidSize
from pools.kinds.kv_tokens import KvTokens


def taken(kv: KvTokens, count: int, owner: int = 1) -> list[int]:
    got = kv.alloc(count, owner)
    assert got is not None
    return list(map(int, got))


def test_freed_tokens_go_to_the_end_of_the_line() -> None:
    kv = KvTokens(8)
    assert taken(kv, 5) == [1, 2, 3, 4, 5]
    kv.free(np.array([2, 1]))
    assert taken(kv, 5) == [6, 7, 8, 2, 1]


def test_sorted_tokens_are_merged_when_a_call_runs_short() -> None:
    kv = KvTokens(8, need_sort=True)
    taken(kv, 8)
    kv.free(np.array([7, 3]))
    kv.free(np.array([5]))
    assert taken(kv, 3) == [3, 5, 7]


def test_decode_is_one_token_each() -> None:
    kv = KvTokens(4)
    got = kv.alloc_decode(np.array([3, 9]), np.array([1, 2]), np.array([1, 2]))
    assert got is not None
    assert got.tolist() == [1, 2]
    assert kv.alloc_decode(np.array([1, 1, 1]), np.array([0, 0, 0]), np.array([1, 2, 3])) is None


def test_strict_refuses_what_upstream_takes() -> None:
    with pytest.raises(InvalidSize):
        KvTokens(8).alloc(-2, 1)
    upstream = KvTokens(8, checks="upstream")
    got = upstream.alloc(-2, 1)
    assert got is not None
    assert len(got) == 6, "a slice with a negative end takes all but that many"
    strict = KvTokens(8)
    strict.free(np.array(taken(strict, 2)))
    with pytest.raises(DoubleFree):
        strict.free(np.array([1]))
    with pytest.raises(DoubleFree):
        strict.free(np.array([*taken(strict, 1), 3]))


def test_pool_of_no_tokens_is_refused() -> None:
    with pytest.raises(InvalidSize):
        KvTokens(0)
