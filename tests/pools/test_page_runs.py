"""Token ids to pages, whole or in any order."""

import numpy as np
import pytest

from pools.errors import ForeignIndex
from pools.structures.page_runs import check_whole_pages, pages_of, repeated_id


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("given", "pages", "each_once"),
    [
        (range(4, 12), [1, 2], True),
        ([*range(8, 12), *range(4, 8)], [1, 2], True),
        ([*range(8, 12), 4, 5], [1, 2], True),
        ([4, 5], [1], True),
        ([5], [1], True),
        ([5, 9], [1, 2], True),
        ([9, 5], [1, 2], False),  # once each, but that takes a sort to see
        ([*range(4, 8), *range(4, 8)], [1], False),
        ([*range(4, 8), 4], [1], False),
        ([4, 5, 6, 7, 9, 8], [1, 2], False),
        ([-4, -3, -2, -1], [-1], True),
    ],
)
def test_distinct_pages_ascend(given: list[int], pages: list[int], each_once: bool) -> None:
    found, once = pages_of(ids(*given), 4)
    assert (found.tolist(), once) == (pages, each_once)


def test_no_repeated_id_is_ever_called_certain() -> None:
    rng = np.random.default_rng(3)
    for _ in range(2000):
        given = rng.integers(0, 20, int(rng.integers(1, 14)))
        if rng.random() < 0.5:
            given = np.concatenate([np.arange(4 * p, 4 * p + 4) for p in given[:4]])
            given = given[: int(rng.integers(1, len(given) + 1))]
        pages, once = pages_of(given, 4)
        assert pages.tolist() == sorted({int(one) // 4 for one in given})
        twice = len(set(given.tolist())) < len(given)
        assert (repeated_id(given) is not None) == twice
        assert not (once and twice), given


def test_lowest_repeated_id_is_named() -> None:
    assert repeated_id(ids(9, 3, 9, 5, 3)) == 3
    assert repeated_id(ids(9, 3, 5)) is None
    assert repeated_id(ids()) is None


@pytest.mark.parametrize("given", [(), range(4, 8), [*range(12, 16), *range(4, 8)]])
def test_whole_pages_pass(given: list[int]) -> None:
    check_whole_pages(ids(*given), 4)


@pytest.mark.parametrize(
    ("given", "token"),
    [([4, 5, 6, 8], 8), ([5, 6, 7, 8], 5), ([*range(4, 8), 8, 9], 8), ([4, 5, 7, 6], 7), ([4], 4)],
)
def test_id_out_of_its_page_is_named(given: list[int], token: int) -> None:
    with pytest.raises(ForeignIndex, match=f"token {token} is not held as part of a whole page"):
        check_whole_pages(ids(*given), 4)


def test_every_token_is_a_whole_page_of_one() -> None:
    check_whole_pages(ids(9, 3, 5), 1)
