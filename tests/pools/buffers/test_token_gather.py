"""Gathers from a real request table, and their messages."""

import pytest
import torch

from pools.buffer_errors import DflashGatherShape, DflashReqToTokenEmpty
from pools.buffers.token_gather import CONTEXT, gather_masked, gather_segments
from pools.errors import ForeignIndex
from pools.kinds.request_slots import RequestSlots


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def table() -> torch.Tensor:
    one = RequestSlots.tiny().req_to_token
    one.copy_(torch.arange(one.numel(), dtype=torch.int32).reshape(one.shape))
    return one


def test_segments_are_read_row_after_row() -> None:
    found = gather_segments(table(), ints(2, 5, 1), ints(3, 0, 2), start=ints(4, 9, 0))
    assert found.tolist() == [68, 69, 70, 32, 33]
    assert found.dtype == torch.int64
    assert gather_segments(table(), ints(3), ints(2)).tolist() == [96, 97]


def test_mask_selects_and_the_rest_is_not_read() -> None:
    positions = torch.tensor([[0, 31], [5, 10**6]])
    mask = torch.tensor([[True, True], [True, False]])
    assert gather_masked(table(), ints(1, 2), positions, mask).tolist() == [32, 63, 69]


def test_nothing_to_read_is_empty() -> None:
    assert gather_segments(table(), ints(), ints()).tolist() == []
    assert gather_segments(table(), ints(1), ints(0)).tolist() == []
    assert gather_segments(table(), ints(1), ints(-1)).tolist() == []
    assert gather_segments(torch.zeros((4, 0)), ints(1), ints(0)).tolist() == []


def test_table_without_columns_has_upstreams_text() -> None:
    empty = torch.zeros((4, 0), dtype=torch.int32)
    with pytest.raises(DflashReqToTokenEmpty) as caught:
        gather_segments(empty, ints(1), ints(2))
    assert str(caught.value) == (
        "DFLASH req_to_token segment gather req_to_token table is empty but gather mask is "
        "non-empty."
    )
    nothing = torch.zeros((1, 2), dtype=torch.bool)
    assert gather_masked(empty, ints(1), torch.zeros((1, 2)), nothing).tolist() == []


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(DflashGatherShape) as caught:
        gather_masked(table(), ints(1), torch.zeros((1, 3)), torch.zeros((1, 4)))
    assert str(caught.value) == f"{CONTEXT} mask/position shape mismatch: (1, 4) vs (1, 3)."
    with pytest.raises(DflashGatherShape) as flat:
        gather_masked(table(), ints(1), ints(1, 2), torch.ones(2))
    assert str(flat.value) == f"{CONTEXT} expected 2D positions, got shape=(2,)."


@pytest.mark.parametrize(
    ("row", "start", "length"), [(9, 0, 1), (-1, 0, 1), (1, 31, 2), (1, -1, 1), (1, 0, 33)]
)
def test_rows_and_positions_outside_the_table_are_refused(
    row: int, start: int, length: int
) -> None:
    with pytest.raises(ForeignIndex, match="of req_to_token"):
        gather_segments(table(), ints(row), ints(length), start=ints(start))
