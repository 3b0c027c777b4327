"""Rows of the metadata buffer, and the message for too many top logprobs."""

from dataclasses import replace

import pytest

from pools.buffer_errors import PdTopLogprobsExceedsMetadata
from pools.buffers.pd_metadata import FirstToken, PdMetadata
from pools.errors import ForeignIndex, InvalidSize

ROW = FirstToken(77, 12, -0.5, ((77, -0.5), (8, -1.25)), bootstrap_room=991)


def test_row_is_read_back_as_it_was_written() -> None:
    buffers = PdMetadata(4)
    assert buffers.get_row(2) is None
    buffers.set_row(2, ROW)
    assert buffers.get_row(2) == ROW
    assert buffers.get_row(1) is None
    buffers.set_row(2, replace(ROW, top_logprobs=()))
    assert buffers.get_row(2) == replace(ROW, top_logprobs=())
    buffers.clear_row(2)
    assert buffers.get_row(2) is None


def test_width_is_128_and_one_more_writes_nothing() -> None:
    buffers = PdMetadata(2)
    widest = tuple((token, -1.0) for token in range(128))
    buffers.set_row(0, replace(ROW, top_logprobs=widest))
    with pytest.raises(PdTopLogprobsExceedsMetadata) as caught:
        buffers.set_row(0, replace(ROW, output_id=5, top_logprobs=(*widest, (128, -1.0))))
    assert caught.value.numbers == {"top_logprobs_num": 129, "capacity": 128}
    assert buffers.get_row(0) == replace(ROW, top_logprobs=widest)


@pytest.mark.parametrize("index", [-1, 2, 99])
def test_rows_that_are_not_there(index: int) -> None:
    buffers = PdMetadata(2)
    for call in (buffers.get_row, buffers.clear_row, lambda at: buffers.set_row(at, ROW)):
        with pytest.raises(ForeignIndex, match="metadata row"):
            call(index)


def test_sizes_and_rooms_that_cannot_be() -> None:
    for sizes in ((0, 1), (-1, 1)):
        with pytest.raises(InvalidSize):
            PdMetadata(sizes[0], max_top_logprobs_num=sizes[1])
    with pytest.raises(InvalidSize):
        PdMetadata(1, max_top_logprobs_num=0)
    with pytest.raises(InvalidSize, match="bootstrap_room 0"):
        PdMetadata(1).set_row(0, replace(ROW, bootstrap_room=0))


def test_rows_are_padded_to_what_a_remote_write_moves() -> None:
    buffers = PdMetadata(3)
    assert buffers.output_ids[0].nbytes == 64
    assert buffers.bootstrap_room[0].nbytes == 64
    assert buffers.nbytes == 3 * (64 * 4 + 128 * 8)
