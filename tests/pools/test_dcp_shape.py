"""Decode context parallelism: what the allocator sees, and where a rank keeps its share."""

import numpy as np
import pytest

from pools.errors import ForeignIndex, InvalidSize
from pools.kinds.kv_pages import KvPages
from pools.structures.dcp_shape import DcpShape


def test_allocator_sees_every_ranks_tokens_in_wider_pages() -> None:
    shape = DcpShape(size=64, page_size=4, dcp_size=2)
    assert (shape.allocator_size, shape.allocator_page_size) == (128, 8)
    kv = KvPages(shape.allocator_size, shape.allocator_page_size)
    assert kv.num_units == 16
    with pytest.raises(InvalidSize, match="no multiple of page_size 8"):
        kv.alloc(4, 1)


def test_page_size_one_is_paged_as_soon_as_there_are_ranks() -> None:
    assert DcpShape(size=10, page_size=1, dcp_size=4).allocator_page_size == 4


@pytest.mark.parametrize(("page", "ranks"), [(1, 2), (4, 2), (16, 8), (4, 1)])
def test_each_rank_keeps_whole_pages_of_its_own_and_no_row_twice(page: int, ranks: int) -> None:
    shape = DcpShape(size=8 * page, page_size=page, dcp_size=ranks)
    kv = KvPages(shape.allocator_size, shape.allocator_page_size)
    ids = kv.alloc(3 * shape.allocator_page_size, 1)
    assert ids is not None
    kept = []
    for rank in range(ranks):
        rows = shape.rows(ids, rank)
        assert len(rows) == 3 * page
        assert sorted(set((rows // page).tolist())) == [1, 2, 3], "page 0 is padding here too"
        kept += [(row * ranks + rank) for row in rows.tolist()]
    assert sorted(kept) == sorted(ids.tolist()), "every token on exactly one rank"


def test_last_row_fits_a_buffer_of_size_and_one_page() -> None:
    shape = DcpShape(size=16, page_size=4, dcp_size=4)
    kv = KvPages(shape.allocator_size, shape.allocator_page_size)
    ids = kv.alloc(shape.allocator_size, 1)
    assert ids is not None
    assert max(int(shape.rows(ids, rank).max()) for rank in range(4)) == 16 + 4 - 1


@pytest.mark.parametrize("sizes", [(0, 1, 1), (4, 0, 1), (4, 4, 0), (-4, 4, 1), (6, 4, 2)])
def test_sizes_that_cannot_be_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidSize):
        DcpShape(*sizes)


def test_no_such_rank() -> None:
    shape = DcpShape(8, 4, 2)
    for rank in (-1, 2):
        with pytest.raises(ForeignIndex):
            shape.rows(np.arange(8), rank)
    assert shape.rows(np.empty(0, np.int64), 0).tolist() == []
