import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pools.errors import IntegrityError
from pools.structures.free_ranges import FreeSpace
from tests.pools.plain_feature_pool import PlainRanges

END = 4096


def holed(*sizes: int) -> FreeSpace:
    """Free ranges of `sizes`, by address, one byte apart, all merged."""
    space = FreeSpace(0, sum(sizes) + len(sizes))
    space.take(space.total)
    at = 0
    for size in sizes:
        space.give_back(at, at + size)
        at += size + 1
    space.merge()
    return space


def test_takes_the_low_end_of_the_smallest_range_that_fits() -> None:
    space = holed(40, 10, 20)
    assert space.take(11) == 52
    assert space.take(9) == 63, "the remainder of 9 fits exactly"
    assert space.order() == [(41, 51), (0, 40)]


def test_equal_ranges_are_taken_by_address_after_a_merge() -> None:
    space = holed(8, 8, 8)
    assert [space.take(8) for _ in range(4)] == [0, 9, 18, None]


def test_ranges_returned_since_the_merge_come_after_and_in_the_order_of_return() -> None:
    space = holed(8, 8, 8, 8)
    for _ in range(3):
        space.take(8)
    space.give_back(18, 26)
    space.give_back(0, 8)
    assert [space.take(8) for _ in range(3)] == [27, 18, 0]


def test_none_changes_nothing() -> None:
    space = holed(8, 8)
    before = space.order()
    assert space.take(9) is None
    assert space.order() == before
    assert space.total == 16


def test_neighbours_fit_only_after_the_merge() -> None:
    space = FreeSpace(0, 64)
    for _ in range(4):
        space.take(16)
    space.give_back(16, 32)
    space.give_back(32, 48)
    assert (space.seams, space.largest, space.largest_after_merge) == (1, 16, 32)
    assert space.take(32) is None
    space.merge()
    assert (space.seams, space.largest, space.take(32)) == (0, 32, 16)


def test_on_free_merges_at_once() -> None:
    space = FreeSpace(0, 64, merge="on_free")
    for _ in range(4):
        space.take(16)
    for start in (0, 32, 16):
        space.give_back(start, start + 16)
    assert (space.seams, len(space), space.largest) == (0, 1, 48)
    space.audit()


def test_describes_sizes_by_powers_of_two() -> None:
    figures = holed(1, 2, 3, 4, 64).describe()
    assert figures.histogram == (1, 2, 1, 0, 0, 0, 1)
    assert (figures.count, figures.largest, figures.total) == (5, 64, 74)
    assert figures.external_fragmentation_frac == pytest.approx(1 - 64 / 74)


def test_describes_a_full_space() -> None:
    space = FreeSpace(256, 512)
    space.take(256)
    figures = space.describe()
    assert (figures.count, figures.total, figures.largest_fit_after_merge) == (0, 0, 0)
    assert figures.histogram == ()
    assert figures.external_fragmentation_frac == 0.0
    assert space.edges().size == 0
    space.audit()


def test_edges_are_by_address() -> None:
    assert holed(4, 2, 3).edges().tolist() == [0, 4, 5, 7, 8, 11]


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), begin=st.sampled_from([0, 256]), steps=st.integers(1, 120))
def test_answers_as_the_plain_list(seed: int, begin: int, steps: int) -> None:
    chance = random.Random(seed)
    space, plain = FreeSpace(begin, END), PlainRanges(begin, END)
    taken: list[tuple[int, int]] = []
    for _ in range(steps):
        what = chance.random()
        if what < 0.55:
            size = chance.choice([1, 16, 16, 64, 256])
            start = space.take(size)
            assert start == plain.take(size)
            if start is not None:
                taken.append((start, start + size))
        elif what < 0.9 and taken:
            extent = taken.pop(chance.randrange(len(taken)))
            space.give_back(*extent)
            plain.give_back(*extent)
        else:
            space.merge()
            plain.merge()
        assert space.order() == plain.by_preference()
        assert space.largest_after_merge == plain.largest_after_merge()
        space.audit()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 300))
def test_many_returned_at_once_is_one_by_one_and_a_merge(seed: int, count: int) -> None:
    chance = random.Random(seed)
    at_once, singly = FreeSpace(0, 300 * 16), FreeSpace(0, 300 * 16)
    for _ in range(300):
        at_once.take(16)
        singly.take(16)
    starts = np.array(chance.sample(range(0, 300 * 16, 16), count), np.int64)
    cut = chance.randint(0, count)
    for part in (starts[:cut], starts[cut:]):
        at_once.give_back_and_merge(part, part + 16)
        for start in part.tolist():
            singly.give_back(start, start + 16)
        singly.merge()
        assert at_once.order() == singly.order()
        at_once.audit()
        singly.audit()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_on_free_keeps_every_pair_of_neighbours_merged(seed: int) -> None:
    chance = random.Random(seed)
    space = FreeSpace(0, END, merge="on_free")
    taken: list[tuple[int, int]] = []
    for _ in range(100):
        if chance.random() < 0.6:
            size = chance.choice([16, 48, 256])
            if (start := space.take(size)) is not None:
                taken.append((start, start + size))
        elif taken:
            space.give_back(*taken.pop(chance.randrange(len(taken))))
        space.audit()
        edges = space.edges().tolist()
        assert all(a < b for a, b in itertools.pairwise(edges))


def test_a_merge_of_few_among_many_and_of_all_agree_with_the_plain_list() -> None:
    space, plain = FreeSpace(0, 4000), PlainRanges(0, 4000)
    for _ in range(1000):
        assert space.take(4) == plain.take(4)
    for starts in (range(0, 4000, 8), (4, 100, 2012), range(12, 3000, 24)):
        for start in starts:
            space.give_back(start, start + 4)
            plain.give_back(start, start + 4)
        space.merge()
        plain.merge()
        assert space.order() == plain.by_preference()
        space.audit()


@pytest.mark.parametrize("what", ["bytes", "seams", "ranges by size"])
def test_audit_names_the_book_that_differs(what: str) -> None:
    space = holed(8, 8)
    if what == "bytes":
        space.total += 1
    elif what == "seams":
        space.seams = 3
    else:
        space._merged.pop()
    with pytest.raises(IntegrityError, match=what):
        space.audit()


def test_clear_makes_one_range_again() -> None:
    space = holed(8, 8, 8)
    space.take(8)
    space.clear()
    assert space.order() == [(0, 27)]
    space.audit()
