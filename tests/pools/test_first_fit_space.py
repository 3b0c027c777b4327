"""First fit against a plain list, merging as asked, and beside best fit in the pool itself."""

import random

import numpy as np
import pytest
import torch

from pools.errors import IntegrityError, InvalidSize
from pools.kinds.mm_feature import MmFeature
from pools.structures.feature_space import open_space
from pools.structures.first_fit_space import FirstFitSpace
from pools.structures.free_ranges import FreeSpace
from tests.pools.feature_pools import acknowledge_all, conserved, must_lease

END = 2048


class PlainFirstFit:
    """Bytes one by one: the lowest run that is long enough, runs cut where a range begins."""

    def __init__(self, *, on_free: bool) -> None:
        self.ranges = [(0, END)]
        self.on_free = on_free

    def take(self, size: int) -> int | None:
        for at, (start, end) in enumerate(self.ranges):
            if end - start >= size:
                self.ranges[at : at + 1] = [(start + size, end)] if end - start > size else []
                return start
        return None

    def give_back(self, start: int, end: int) -> None:
        self.ranges = sorted([*self.ranges, (start, end)])
        if self.on_free:
            self.merge()

    def merge(self) -> None:
        joined: list[tuple[int, int]] = []
        for start, end in self.ranges:
            if joined and joined[-1][1] == start:
                start = joined.pop()[0]
            joined.append((start, end))
        self.ranges = joined


@pytest.mark.parametrize("merge", ["deferred", "on_free"])
def test_answers_as_a_plain_list_does(merge: str) -> None:
    dice = random.Random(4)
    space = FirstFitSpace(0, END, merge=merge)  # type: ignore[arg-type]
    plain = PlainFirstFit(on_free=merge == "on_free")
    taken: list[tuple[int, int]] = []
    for step in range(3000):
        if dice.random() < 0.55:
            size = dice.randint(1, 120)
            start = space.take(size)
            assert start == plain.take(size)
            if start is not None:
                taken.append((start, start + size))
        elif taken:
            extent = taken.pop(dice.randrange(len(taken)))
            space.give_back(*extent)
            plain.give_back(*extent)
        if step % 50 == 0:
            space.merge()
            plain.merge()
        assert space.order() == plain.ranges
        assert space.total == END - sum(end - start for start, end in taken)
        sizes = [end - start for start, end in plain.ranges]
        assert space.largest == max(sizes, default=0)
        space.audit()


def test_many_at_once_is_as_one_by_one_and_a_merge() -> None:
    one, many = FirstFitSpace(0, END), FirstFitSpace(0, END)
    for space in (one, many):
        while space.take(64) is not None:
            pass
    starts = np.array([640, 0, 128, 64])
    for start in starts.tolist():
        one.give_back(start, start + 64)
    assert (one.seams, one.largest, one.largest_after_merge) == (2, 64, 192)
    one.merge()
    many.give_back_and_merge(starts, starts + 64)
    assert one.order() == many.order() == [(0, 192), (640, 704)]
    assert one.describe() == many.describe()
    assert one.edges().tolist() == [0, 192, 640, 704]


def test_full_space_gives_nothing_and_says_so() -> None:
    space = FirstFitSpace(0, 64)
    assert space.take(64) == 0
    assert space.take(1) is None
    assert (len(space), space.largest, space.largest_after_merge, space.seams) == (0, 0, 0, 0)
    assert space.describe().count == 0
    space.merge()
    space.give_back_and_merge(np.array([0]), np.array([64]))
    assert space.take(65) is None
    assert space.order() == [(0, 64)]


def test_audit_finds_a_range_that_is_given_back_twice() -> None:
    space = FirstFitSpace(0, 64)
    space.take(16)
    space.give_back(0, 16)
    space.give_back(0, 16)
    with pytest.raises(IntegrityError, match="overlaps"):
        space.audit()


def test_choices_that_are_not_there() -> None:
    assert isinstance(open_space(0, 8), FreeSpace)
    assert isinstance(open_space(0, 8, "first"), FirstFitSpace)
    with pytest.raises(InvalidSize, match="fit 'worst': use best or first"):
        MmFeature(1024, 1, num_slots=2, fit="worst")  # type: ignore[arg-type]
    with pytest.raises(InvalidSize, match="merge 'never': use deferred or on_free"):
        MmFeature(1024, 1, num_slots=2, merge="never")  # type: ignore[arg-type]


def test_pool_cuts_the_lowest_range_where_best_fit_cuts_the_smallest() -> None:
    starts = {}
    for fit in ("best", "first"):
        pool = MmFeature(256 + 4096, 2, num_slots=8, fit=fit)  # type: ignore[arg-type]
        first, second, third, _ = (must_lease(pool, size) for size in (1024, 256, 512, 256))
        pool.release(first)
        pool.release(third)
        starts[fit] = must_lease(pool, 512).start
        assert pool.book.is_active(second)
        conserved(pool)
    assert starts == {"best": 256 + 1280, "first": 256}


@pytest.mark.parametrize("merge", ["deferred", "on_free"])
def test_pool_copies_acknowledges_and_recycles_whatever_the_fit(merge: str) -> None:
    rng = np.random.default_rng(8)
    pool = MmFeature(256 + 8192, 2, num_slots=8, fit="first", merge=merge)  # type: ignore[arg-type]
    live = []
    for step in range(300):
        data = torch.from_numpy(rng.integers(0, 256, int(rng.integers(1, 3000)), np.uint8))
        lease, _ = pool.copy_tensor(data, float(step))
        if lease is not None:
            live.append((lease, data))
        while live and (lease is None or rng.random() < 0.4):
            done, data = live.pop(int(rng.integers(len(live))))
            assert torch.equal(pool.read(done), data)
            acknowledge_all(pool, done)
            lease = done
        pool.recycle(float(step))
        conserved(pool)
    for done, _ in live:
        pool.cancel(done)
    pool.recycle(1000.0)
    assert pool.snapshot(1000.0).available == pool.capacity
    assert len(pool.space) == 1
