"""Where a growing batch goes: the rest of each last page, then new pages; against a loop."""

import numpy as np
import pytest

from pools.errors import InvalidSize
from pools.structures.extend_plan import ExtendPlan

PAGE = 4


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def plain(prefix: int, length: int, last: int, pages: list[int]) -> list[int]:
    """One request, token by token; takes pages from the front of the list."""
    got: list[int] = []
    for position in range(prefix, length):
        last = last + 1 if position % PAGE else pages.pop(0) * PAGE
        got.append(last)
    return got


def test_tail_rest_and_pages_are_counted() -> None:
    plan = ExtendPlan.of(ids(0, 6, 6, 8, 3), ids(9, 7, 13, 8, 4), PAGE)
    assert plan.tails.tolist() == [0, 1, 2, 0, 1]
    assert plan.rests.tolist() == [9, 0, 5, 0, 0]
    assert plan.pages.tolist() == [3, 0, 2, 0, 0]
    assert plan.enough == 18 // PAGE + 5 + 1, "tokens // page + requests + 1, as upstream"


def test_extend_of_18_tokens_in_pages_of_16_takes_two() -> None:
    plan = ExtendPlan.of(ids(0), ids(18), 16)
    assert plan.tokens(ids(-1), ids(3, 4), 16).tolist() == [*range(48, 64), 64, 65]


def test_any_batch_equals_the_loop() -> None:
    rng = np.random.default_rng(9)
    for _ in range(500):
        batch = int(rng.integers(0, 6))
        prefixes = rng.integers(0, 14, batch)
        lengths = prefixes + rng.integers(0, 14, batch)
        last = 1000 + 40 * np.arange(batch) + (prefixes - 1) % PAGE
        plan = ExtendPlan.of(prefixes, lengths, PAGE)
        pages = rng.permutation(200)[: int(plan.pages.sum())]
        left = pages.tolist()
        expected = [
            token
            for prefix, length, loc in zip(prefixes, lengths, last, strict=True)
            for token in plain(prefix, length, loc, left)
        ]
        assert left == []
        assert plan.tokens(last, pages, PAGE).tolist() == expected


@pytest.mark.parametrize(("prefixes", "lengths", "at"), [((4, 6), (4, 5), 1), ((-1, 4), (3, 8), 0)])
def test_request_that_shrinks_is_named(
    prefixes: tuple[int, ...], lengths: tuple[int, ...], at: int
) -> None:
    text = f"request {at} of the batch grows from {prefixes[at]} to {lengths[at]}"
    with pytest.raises(InvalidSize, match=text) as refused:
        ExtendPlan.of(ids(*prefixes), ids(*lengths), PAGE)
    assert refused.value.numbers == {
        "index": at,
        "prefix_len": prefixes[at],
        "seq_len": lengths[at],
    }
