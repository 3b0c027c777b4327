"""Request rows: last in first out in ascending slices, generations, owners, misuse."""

import pytest

from pools.errors import DoubleFree, ForeignIndex, InvalidSize
from pools.kinds.request_slots import RequestSlots


def test_rows_come_from_the_tail_in_ascending_slices() -> None:
    rows = RequestSlots.tiny()
    assert rows.alloc(3) == [6, 7, 8]
    assert rows.alloc(2) == [4, 5]
    rows.free([7])
    assert rows.alloc(1) == [7]
    assert rows.alloc(0) == []


def test_more_than_free_is_none() -> None:
    rows = RequestSlots.tiny()
    assert rows.alloc(9) is None
    assert rows.available_size() == 8


def test_generation_and_owner_per_row() -> None:
    rows = RequestSlots.tiny()
    (row,) = rows.alloc(1, owners=[42]) or [0]
    assert (rows.generation[row - 1], rows.owner[row - 1]) == (1, 42)
    rows.free([row])
    rows.clear()
    rows.alloc(1)
    assert rows.generation[row - 1] == 2, "generations go on over a clear"


def test_table_has_a_row_of_padding() -> None:
    table = RequestSlots(4, 16).req_to_token
    assert tuple(table.shape) == (5, 16)
    assert str(table.dtype) == "torch.int32"


@pytest.mark.parametrize(
    ("rows_freed", "error"),
    [([1], DoubleFree), ([0], ForeignIndex), ([9], ForeignIndex), ([8, 8], DoubleFree)],
)
def test_strict_refuses_and_frees_nothing(rows_freed: list[int], error: type[Exception]) -> None:
    rows = RequestSlots.tiny()
    rows.alloc(1)
    with pytest.raises(error):
        rows.free(rows_freed)
    assert rows.available_size() == 7


def test_upstream_takes_a_row_twice_and_shows_it() -> None:
    rows = RequestSlots.tiny("upstream")
    rows.alloc(1)
    rows.free([8])
    rows.free([8])
    assert rows.available_size() == 9
    assert rows.residual() == -1


def test_owners_must_fit_the_number() -> None:
    with pytest.raises(InvalidSize, match="2 owners"):
        RequestSlots.tiny().alloc(1, owners=[1, 2])


def test_disowned_row_is_leaked() -> None:
    rows = RequestSlots.tiny()
    rows.alloc(2)
    rows.disown(8)
    assert rows.snapshot(0.0).leaked == 1
    with pytest.raises(ForeignIndex):
        rows.disown(1)


@pytest.mark.parametrize("shape", [(0, 8), (8, 0), (-1, 8)])
def test_no_rows_or_columns_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(InvalidSize):
        RequestSlots(*shape)
