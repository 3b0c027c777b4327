"""The sorted set gives what the staged free list gives, without its sorts."""

import numpy as np
import pytest

from pools.structures.free_list import FreeList
from pools.structures.sorted_free_set import SortedFreeSet


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_lowest_listed_ids_come_first() -> None:
    free = SortedFreeSet(1, 6)
    first = free.take(4)
    assert first is not None
    assert first.tolist() == [1, 2, 3, 4]
    free.append(ids(3, 1))
    assert (len(free), free.listed) == (4, 2)
    assert free.to_array().tolist() == [5, 6, 1, 3]
    second = free.take(3)
    assert second is not None
    assert second.tolist() == [1, 3, 5]
    assert free.take(2) is None
    assert free.to_array().tolist() == [6]


def test_staged_ids_are_listed_when_not_enough_are() -> None:
    free = SortedFreeSet(0, 4)
    assert free.take(3) is not None
    free.append(ids(0))
    one = free.take(1, enough=1)
    assert one is not None
    assert one.tolist() == [3]
    free.append(ids(2))
    low = free.take(1, enough=2)
    assert low is not None
    assert low.tolist() == [0]


def test_nothing_given_back_changes_nothing() -> None:
    free = SortedFreeSet(1, 3)
    free.append(ids())
    free.prepend(ids())
    none = free.take(0)
    assert none is not None
    assert none.size == 0
    assert free.to_array().tolist() == [1, 2, 3]


def test_reset_lists_every_id() -> None:
    free = SortedFreeSet(1, 3)
    assert free.take(3) is not None
    free.append(ids(2))
    free.reset()
    assert (len(free), free.listed, free.to_array().tolist()) == (3, 3, [1, 2, 3])


@pytest.mark.parametrize(("size", "most", "steps"), [(7, 5, 4000), (60, 30, 2000)])
def test_any_order_of_calls_equals_the_staged_list(size: int, most: int, steps: int) -> None:
    rng = np.random.default_rng(size)
    ours, plain = SortedFreeSet(1, size), FreeList(1, size, staged=True)
    out = ids()
    for _ in range(steps):
        count = int(rng.integers(0, most))
        if rng.random() < 0.5:
            enough = int(rng.integers(0, 2 * most))
            got, expected = ours.take(count, enough), plain.take(count, enough)
            assert (got is None) == (expected is None)
            if got is not None and expected is not None:
                assert got.tolist() == expected.tolist()
                out = np.concatenate((out, got))
        else:
            out = rng.permutation(out)
            back, out = out[:count], out[count:]
            ours.append(back)
            plain.append(back)
        assert (len(ours), ours.listed) == (len(plain), plain.listed)
        assert sorted(ours.to_array().tolist()) == sorted(plain.to_array().tolist())


def test_rounds_begin_again_after_the_last_code() -> None:
    free = SortedFreeSet(1, 4)
    for turn in range(1000):
        got = free.take(4)
        assert got is not None
        assert got.tolist() == [1, 2, 3, 4], turn
        free.append(got[[3, 1, 0, 2]])


def test_ready_ids_reach_beyond_one_window_of_codes() -> None:
    free = SortedFreeSet(1, 300_000)
    first = free.take(150_000)
    assert first is not None
    free.append(first[::2])
    rest = free.take(150_001)
    assert rest is not None
    assert rest[:75_000].tolist() == first[::2].tolist()
    assert rest[75_000:].tolist() == list(range(150_001, 225_002))
