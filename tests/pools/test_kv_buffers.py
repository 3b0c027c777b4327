"""K and V memory: shapes, and stamps that lie where the device would read them."""

import numpy as np
import pytest
import torch

from pools.errors import InvalidSize
from pools.structures.kv_buffers import KvBuffers


def test_shapes_are_those_of_the_model() -> None:
    buffers = KvBuffers(20, num_layers=3, kv_heads=2, head_dim=4)
    assert len(buffers.k) == len(buffers.v) == 3
    for tensor in (*buffers.k, *buffers.v):
        assert tuple(tensor.shape) == (20, 2, 4)
        assert tensor.dtype == torch.bfloat16
        assert not tensor.any()
    assert buffers.nbytes == 6 * 20 * 2 * 4 * 2
    assert buffers.device == "cpu"


def test_stamp_is_the_first_16_bytes_of_the_row_in_layer_0() -> None:
    buffers = KvBuffers(8, kv_heads=2, head_dim=8)
    buffers.write(np.array([5]), np.array([[3 | 2 << 32, 77]]))
    words = buffers.k[0].view(8, 16).view(torch.int32)
    assert words[5].tolist() == [3, 2, 77, 0, 0, 0, 0, 0], "row, generation, position, 0"
    assert int(words.count_nonzero()) == 3
    assert not buffers.k[1].any()
    assert not buffers.v[0].any()


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_what_was_written_is_read(kv_heads: int) -> None:
    buffers, rng = KvBuffers(24, kv_heads=kv_heads), np.random.default_rng(2)
    stamps = rng.integers(-(2**62), 2**62, (24, 2))
    order = rng.permutation(24)
    buffers.write(order, stamps[order])
    assert np.array_equal(buffers.read(np.arange(24)), stamps)
    assert np.array_equal(buffers.read(np.array([[7, 2], [0, 7]])), stamps[[[7, 2], [0, 7]]])
    pages = np.array([5, 0, 3])
    assert np.array_equal(buffers.read_pages(pages, 4), stamps.reshape(6, 4, 2)[pages])


def test_read_is_a_copy() -> None:
    buffers = KvBuffers(4)
    found = buffers.read(np.array([1]))
    found[:] = 9
    assert not buffers.k[0].any()


@pytest.mark.parametrize(
    ("slots", "shape"),
    [
        (0, {}),
        (-1, {}),
        (4, {"num_layers": 0}),
        (4, {"kv_heads": 0}),
        (4, {"head_dim": 4}),
        (4, {"head_dim": 12}),
    ],
)
def test_shape_without_room_for_a_stamp_is_refused(slots: int, shape: dict[str, int]) -> None:
    with pytest.raises(InvalidSize, match="multiple of 16 bytes"):
        KvBuffers(slots, **shape)
