"""The free list: both orders of giving back, staged merges, and a ring that wraps."""

import numpy as np
import pytest

from pools.structures.free_list import FreeList


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def taken(free: FreeList, count: int, enough: int = 0) -> list[int]:
    got = free.take(count, enough)
    assert got is not None
    return list(map(int, got))


def test_ids_come_in_order_and_appended_ones_last() -> None:
    free = FreeList(1, 5)
    assert taken(free, 3) == [1, 2, 3]
    free.append(ids(2, 1))
    assert (taken(free, 0), len(free)) == ([], 4)
    assert taken(free, 4) == [4, 5, 2, 1]


def test_prepended_ids_come_first_in_their_order() -> None:
    free = FreeList(1, 5)
    taken(free, 4)
    free.prepend(ids(3, 2))
    free.prepend(ids(4, 1))
    assert free.to_array().tolist() == [4, 1, 3, 2, 5]
    assert taken(free, 5) == [4, 1, 3, 2, 5]


def test_more_than_is_free_is_none_and_changes_nothing() -> None:
    free = FreeList(0, 4)
    assert free.take(5) is None
    assert free.to_array().tolist() == [0, 1, 2, 3]


def test_taken_ids_are_a_copy() -> None:
    free = FreeList(1, 4)
    got = free.take(2)
    assert got is not None
    free.prepend(got)
    got[:] = 99
    assert free.to_array().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("prepend", [False, True])
def test_staged_ids_wait_until_a_take_runs_short(prepend: bool) -> None:
    free = FreeList(1, 6, staged=True)
    taken(free, 4)
    given = ids(4, 2)
    (free.prepend if prepend else free.append)(given)
    given[:] = 99
    assert (len(free), free.listed) == (4, 2)
    assert free.to_array().tolist() == [5, 6, 4, 2]
    assert taken(free, 1) == [5]
    assert taken(free, 2) == [2, 4], "merged and sorted: 2 4 6"
    assert free.to_array().tolist() == [6]


def test_staged_ids_are_merged_when_not_enough_are_listed() -> None:
    free = FreeList(1, 6, staged=True)
    taken(free, 4)
    free.append(ids(1))
    assert taken(free, 1, enough=2) == [5]
    assert taken(free, 1, enough=2) == [1]


def test_merge_happens_although_the_take_fails_after_all() -> None:
    free = FreeList(1, 4, staged=True)
    taken(free, 3)
    free.append(ids(1))
    assert free.take(3) is None
    assert (len(free), free.to_array().tolist()) == (2, [1, 4])


def test_ids_given_back_twice_are_there_twice_and_the_ring_grows() -> None:
    free = FreeList(1, 3)
    taken(free, 2)
    for _ in range(3):
        free.append(ids(1, 2))
    assert len(free) == 7
    assert taken(free, 7) == [3, 1, 2, 1, 2, 1, 2]


def test_reset_restores_the_first_order() -> None:
    free = FreeList(1, 3, staged=True)
    taken(free, 3)
    free.append(ids(2, 2, 2, 2))
    free.reset()
    assert (len(free), free.listed, free.to_array().tolist()) == (3, 3, [1, 2, 3])


@pytest.mark.parametrize("staged", [False, True])
def test_any_order_of_calls_equals_a_plain_list(staged: bool) -> None:
    rng = np.random.default_rng(5)
    free, plain, waiting = FreeList(1, 13, staged=staged), list(range(1, 14)), []
    out: list[int] = []
    for _ in range(2000):
        count = int(rng.integers(0, 7))
        if rng.random() < 0.5:
            if staged and waiting and count > len(plain):
                plain, waiting = sorted(plain + waiting), []
            got = free.take(count)
            assert (got is None) == (count > len(plain))
            if got is not None:
                assert got.tolist() == plain[:count]
                out += plain[:count]
                del plain[:count]
        else:
            rng.shuffle(out)
            back, out = out[:count], out[count:]
            ahead = bool(rng.integers(2))
            (free.prepend if ahead else free.append)(ids(*back))
            if staged:
                waiting += back
            else:
                plain = back + plain if ahead else plain + back
        assert free.to_array().tolist() == plain + waiting
