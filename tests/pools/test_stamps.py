"""Stamps: what was written where, and what a wrong index leaves behind."""

import numpy as np
import pytest

from pools.errors import ForeignIndex, InvalidSize, MemoryCorrupted
from pools.kinds.kv_pages import KvPages
from pools.structures.kv_buffers import KvBuffers
from pools.structures.stamps import StampBook

PAGE = 4


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def book(units: int = 8, page: int = PAGE) -> tuple[StampBook, KvBuffers]:
    buffers = KvBuffers((units + 1) * page)
    return StampBook(units, page, buffers), buffers


def test_what_was_written_is_expected() -> None:
    stamps, _ = book()
    stamps.write(np.arange(4, 14), row=3, generation=2, first=0)
    stamps.check(ids(1, 2, 3))


def test_tokens_beyond_what_was_filled_are_not_looked_at() -> None:
    stamps, buffers = book()
    stamps.write(ids(4, 5), 3, 2, 0)
    buffers.write(ids(6), np.array([[99, 99]]))
    assert stamps.differing(ids(1)).tolist() == []
    buffers.write(ids(5), np.array([[99, 99]]))
    assert stamps.differing(ids(1)).tolist() == [5]


def test_writer_who_began_in_the_middle_is_checked_from_there() -> None:
    stamps, buffers = book()
    stamps.write(ids(6, 7), 3, 2, 10)
    buffers.write(ids(4), np.array([[99, 99]]))
    assert stamps.differing(ids(1)).tolist() == []
    buffers.write(ids(7), np.array([[99, 99]]))
    assert stamps.differing(ids(1)).tolist() == [7]


def test_first_writer_stays_the_one_that_is_expected() -> None:
    stamps, _ = book()
    stamps.write(np.arange(4, 8), 3, 1, 0)
    stamps.write(ids(5), 9, 1, 1)
    with pytest.raises(MemoryCorrupted, match="token 5 holds") as found:
        stamps.check(ids(1))
    numbers = found.value.numbers
    assert (numbers["row"], numbers["generation"], numbers["position"]) == (3, 1, 1)
    assert (numbers["found_row"], numbers["found_generation"], numbers["found_position"]) == (
        9,
        1,
        1,
    )
    assert numbers["num_bad"] == 1


def test_generation_of_the_same_row_is_told_apart() -> None:
    stamps, _ = book()
    stamps.write(ids(4), 3, 1, 0)
    stamps.write(ids(4), 3, 2, 0)
    assert stamps.differing(ids(1)).tolist() == [4]


def test_free_units_are_expected_to_hold_nothing() -> None:
    stamps, buffers = book()
    stamps.write(ids(6, 7), 3, 2, 0)
    stamps.forget(ids(1))
    buffers.write(ids(4, 5, 6, 7), np.full((4, 2), 99))
    stamps.check(ids(1))
    stamps.write(ids(4), 5, 1, 0)
    assert stamps.differing(ids(1)).tolist() == []
    stamps.write(ids(4), 9, 9, 9)
    assert stamps.differing(ids(1)).tolist() == [4], "the late start went with the writer"
    stamps.write(ids(8), 5, 1, 4)
    buffers.write(ids(8), np.array([[99, 99]]))
    stamps.clear()
    stamps.check(ids(1, 2))


def test_decode_batch_writes_one_token_of_each_request() -> None:
    stamps, _ = book()
    stamps.write(ids(4, 12, 20), ids(1, 2, 3), ids(1, 1, 2), ids(0, 8, 16))
    stamps.check(ids(1, 3, 5))
    stamps.write(ids(5), 1, 1, 7)
    assert stamps.differing(ids(1, 3, 5)).tolist() == [5]


def test_page_of_one_token_is_its_own_unit() -> None:
    stamps, _ = book(page=1)
    stamps.write(ids(2, 7, 1), 4, 1, 0)
    stamps.check(ids(1, 2, 7))
    stamps.write(ids(7), 5, 1, 1)
    assert stamps.differing(ids(1, 2, 7)).tolist() == [7]


@pytest.mark.parametrize("token", [-4, 0, 3, 36, 1000])
def test_token_outside_the_pool_is_not_written(token: int) -> None:
    stamps, buffers = book()
    before = buffers.k[0].clone()
    with pytest.raises(ForeignIndex, match=f"token {token} is no unit"):
        stamps.write(ids(4, token), 3, 2, 0)
    assert bool((buffers.k[0] == before).all())


def test_only_tokens_inside_are_written_and_the_others_counted() -> None:
    stamps, _ = book()
    assert stamps.write_inside(ids(3, 4, 5, 40), 3, 2, 6) == 2
    stamps.check(ids(1))
    stamps.write(ids(5), 3, 2, 8)
    assert stamps.differing(ids(1)).tolist() == [], "token 5 was the third, at position 8"
    assert stamps.inside(ids(-1, 0, 1, 8, 9)).tolist() == [1, 8]


def test_buffer_that_ends_too_early_is_refused() -> None:
    with pytest.raises(InvalidSize, match="35 slots are too few for 36"):
        StampBook(8, PAGE, KvBuffers(35))


@pytest.mark.parametrize("token", [-4, 1000])
def test_pool_is_asked_only_for_tokens_of_its_own(token: int) -> None:
    strict, upstream = KvPages.tiny(), KvPages.tiny("upstream")
    with pytest.raises(ForeignIndex, match=f"token {token}"):
        strict.check(ids(token))
    upstream.check(ids(token))


def test_pool_under_upstream_checks_counts_what_it_finds_corrupted() -> None:
    kv = KvPages.tiny("upstream")
    got = kv.alloc(8, 1)
    assert got is not None
    kv.stamp(ids(4, 5, 6, 7, 0, 999), 3, 1, 0)
    assert kv.snapshot(0.0).extra["corrupted_tokens_total"] == 2
    kv.stamp(ids(6), 8, 1, 2)
    kv.free(got)
    assert kv.snapshot(0.0).extra["corrupted_tokens_total"] == 3
    assert kv.available_size() == 128
