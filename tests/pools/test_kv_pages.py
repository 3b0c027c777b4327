"""Paged KV: which ids come in which order, and what each check mode makes of misuse."""

import numpy as np
import pytest

from pools.errors import DoubleFree, ForeignIndex, InvalidSize, MemoryCorrupted
from pools.kinds.kv_pages import KvPages
from pools.structures.kv_buffers import KvBuffers


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def tokens(*pages: int, page: int = 4) -> list[int]:
    return [p * page + at for p in pages for at in range(page)]


def extend(kv: KvPages, prefix: int, length: int, last: int, owner: int = 1) -> list[int]:
    got = kv.alloc_extend(ids(prefix), ids(length), ids(last), ids(owner))
    assert got is not None
    return list(map(int, got))


def test_pages_begin_at_one_in_ascending_order() -> None:
    kv = KvPages.tiny()
    got = kv.alloc(12, owner=1)
    assert got is not None
    assert got.tolist() == tokens(1, 2, 3)
    assert kv.available_size() == 128 - 12


def test_freed_pages_come_first_again() -> None:
    kv = KvPages.tiny()
    first, second = kv.alloc(8, 1), kv.alloc(4, 2)
    assert first is not None
    assert second is not None
    kv.free(second)
    kv.free(first)
    got = kv.alloc(16, 3)
    assert got is not None
    assert got.tolist() == tokens(1, 2, 3, 4), "the group freed last is in front"


def test_sorted_pages_wait_until_a_call_runs_short() -> None:
    kv = KvPages(32, 4, need_sort=True)
    whole = kv.alloc(32, 1)
    assert whole is not None
    kv.free(whole[16:])
    kv.free(whole[:16])
    got = kv.alloc(32, 2)
    assert got is not None
    assert got.tolist() == tokens(*range(1, 9))


def test_extend_fills_the_last_page_first() -> None:
    kv = KvPages.tiny()
    assert extend(kv, 0, 6, -1) == [4, 5, 6, 7, 8, 9]
    assert extend(kv, 6, 13, 9) == [10, 11, 12, 13, 14, 15, 16]
    assert kv.held_by(1) == 4


def test_extend_of_a_batch_goes_request_after_request() -> None:
    kv = KvPages.tiny()
    got = kv.alloc_extend(ids(0, 0), ids(5, 3), ids(-1, -1), ids(1, 2))
    assert got is not None
    assert got.tolist() == [4, 5, 6, 7, 8, 12, 13, 14]
    assert (kv.held_by(1), kv.held_by(2)) == (2, 1)


def test_decode_takes_a_page_only_where_a_length_crosses_one() -> None:
    kv = KvPages.tiny()
    extend(kv, 0, 4, -1, owner=1)
    extend(kv, 0, 5, -1, owner=2)
    got = kv.alloc_decode(ids(5, 6), ids(7, 12), ids(1, 2))
    assert got is not None
    assert got.tolist() == [16, 13]


def test_not_now_is_none_and_counted() -> None:
    kv = KvPages.tiny()
    assert kv.alloc(132, 1) is None
    assert kv.snapshot(0.0).counters.failures_total == {"no_pages": 1}
    assert kv.available_size() == 128


@pytest.mark.parametrize("size", [-4, 3, 129])
def test_strict_refuses_sizes_that_upstream_floors(size: int) -> None:
    with pytest.raises(InvalidSize, match=str(size)):
        KvPages.tiny().alloc(size, 1)


def test_upstream_floors_a_size_to_pages() -> None:
    got = KvPages.tiny("upstream").alloc(7, 1)
    assert got is not None
    assert got.tolist() == tokens(1)


def test_strict_refuses_a_double_free_and_upstream_shows_it() -> None:
    strict, upstream = KvPages.tiny(), KvPages.tiny("upstream")
    for kv in (strict, upstream):
        got = kv.alloc(8, 1)
        assert got is not None
        kv.free(got[:4])
    with pytest.raises(DoubleFree):
        strict.free(ids(4, 5, 6, 7))
    assert strict.residual() == 0
    upstream.free(ids(4, 5, 6, 7))
    assert upstream.available_size() == 128, "one page is in the list twice, one is held"
    assert upstream.residual() == -1, "one page more is accounted for than there is"


def test_disowned_pages_are_the_residual() -> None:
    kv = KvPages.tiny()
    kv.alloc(12, owner=5)
    assert kv.disown(5) == 3
    assert kv.residual() == 3
    assert kv.snapshot(0.0).leaked == 3


@pytest.mark.parametrize("unit", [0, 33, 1000])
def test_foreign_pages_are_refused(unit: int) -> None:
    with pytest.raises(ForeignIndex):
        KvPages.tiny().free(ids(unit * 4))


def test_a_wrong_write_is_found_on_free() -> None:
    buffers = KvBuffers(132)
    kv = KvPages(128, 4, buffers=buffers)
    got = kv.alloc(8, 1)
    assert got is not None
    kv.stamp(got, row=3, generation=1, first_position=0)
    kv.check(got)
    buffers.k[0][6].fill_(1.0)
    with pytest.raises(MemoryCorrupted):
        kv.free(got)
    assert kv.held_by(1) == 2, "nothing was freed"


def test_generations_count_how_often_a_page_was_handed_out() -> None:
    kv = KvPages.tiny()
    for _ in range(3):
        got = kv.alloc(4, 1)
        assert got is not None
        kv.free(got)
    assert kv.generation[:2].tolist() == [3, 0]
    kv.clear()
    assert kv.generation[:2].tolist() == [3, 0], "they go on over a clear"


def test_extend_of_a_page_that_is_not_held_is_refused() -> None:
    kv = KvPages.tiny()
    with pytest.raises(ForeignIndex):
        kv.alloc_extend(ids(5), ids(9), ids(8), ids(1))
    assert kv.available_size() == 128
