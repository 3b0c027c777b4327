"""Host KV: every layout byte for byte, engines, corruption."""

import numpy as np
import pytest
import torch

from pools.base import Pool
from pools.errors import ForeignIndex, MemoryCorrupted
from pools.kinds.host_kv import POOL, HostKv
from pools.side_errors import (
    HostUnsupportedLayout,
)
from pools.structures.host_buffers import LAYOUTS, HostBuffers
from tests.pools.host_kv_pools import PAGE, conserved, filled, pages, taken


def test_kind_keeps_the_protocol() -> None:
    assert isinstance(POOL.tiny(), Pool)
    assert POOL.KIND == "host_kv"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_loaded_back_is_what_was_backed_up(layout: str) -> None:
    device = filled()
    before = [tensor.clone() for tensor in (*device.k, *device.v)]
    pool = HostKv(10 * PAGE, PAGE, device, layout=layout)
    taken(pool, 3 * PAGE)
    host = taken(pool, 3 * PAGE)
    pool.backup(host, pages(7, 2, 5))
    for tensor in (*device.k, *device.v):
        tensor[pages(7, 2, 5)] = 0
    pool.load_back(host, pages(9, 10, 11))
    for tensor, old in zip((*device.k, *device.v), before, strict=True):
        assert torch.equal(tensor[pages(9, 10, 11)], old[pages(7, 2, 5)])
        untouched = np.setdiff1d(np.arange(64), pages(2, 5, 7, 9, 10, 11))
        assert torch.equal(tensor[untouched], old[untouched])
    extra = pool.snapshot(0.0).extra
    assert (extra["backed_up_tokens_total"], extra["loaded_back_tokens_total"]) == (12, 12)
    conserved(pool)


def test_layouts_arrange_the_same_bytes_as_their_names_say() -> None:
    device = filled()
    shapes = {}
    for layout in LAYOUTS:
        pool = HostKv(4 * PAGE, PAGE, device, layout=layout)
        pool.backup(taken(pool, 2 * PAGE), pages(3, 8))
        shapes[layout] = tuple(pool.buffers.kv_buffer.shape)
        assert torch.equal(pool.buffers.layer(1, 2)[1, 3], device.v[2][8 * PAGE + 3])
    assert shapes == {
        "layer_first": (2, 3, 16, 2, 8),
        "page_first": (2, 16, 3, 2, 8),
        "page_first_direct": (2, 4, 3, 4, 2, 8),
    }


def test_page_bytes_do_not_depend_on_the_layout() -> None:
    device = filled()
    found = set()
    for layout in LAYOUTS:
        buffers = HostBuffers(4, PAGE, device, layout)
        buffers.copy_in(pages(1, 3), pages(6, 2))
        found.add(buffers.page_bytes(np.array([1, 3])).tobytes())
    assert len(found) == 1


def test_unknown_layout_has_upstreams_text() -> None:
    for checks in ("strict", "upstream"):
        with pytest.raises(HostUnsupportedLayout, match=r"^Unsupported layout: page_head$"):
            HostKv(8, PAGE, filled(), layout="page_head", checks=checks)


@pytest.mark.parametrize(
    ("layout", "engine"), [("page_first", "direct"), ("page_first_direct", "kernel")]
)
def test_layout_that_the_engine_cannot_copy(layout: str, engine: str) -> None:
    device = filled()
    with pytest.raises(HostUnsupportedLayout, match=rf"^Unsupported layout: {layout}$"):
        HostKv(8, PAGE, device, layout=layout, io_backend=engine)
    pool = HostKv(8, PAGE, device, layout=layout, io_backend=engine, checks="upstream")
    host = taken(pool, PAGE)
    with pytest.raises(HostUnsupportedLayout):
        pool.backup(host, pages(1))


def test_byte_that_changed_on_the_host_is_found_before_it_is_loaded() -> None:
    device = filled()
    pool = HostKv(8 * PAGE, PAGE, device)
    host = taken(pool, 2 * PAGE)
    pool.backup(host, pages(1, 2))
    pool.buffers.kv_buffer.view(torch.uint8)[0, int(host[5]), 1, 0, 3] ^= 1
    before = [tensor.clone() for tensor in (*device.k, *device.v)]
    with pytest.raises(MemoryCorrupted, match="host page 1 is not what was backed up"):
        pool.load_back(host, pages(9, 10))
    assert all(map(torch.equal, before, (*device.k, *device.v)))
    assert pool.snapshot(0.0).counters.raised_total == {"pool-memory-corrupted": 1}


def test_copy_that_differs_is_told_with_its_place() -> None:
    pool = HostKv(8 * PAGE, PAGE, filled())
    host = taken(pool, PAGE)
    pool.buffers.copy_in = lambda host, device: None  # type: ignore[method-assign]
    with pytest.raises(MemoryCorrupted, match="backup of host slot 0 and token 4 differs"):
        pool.backup(host, pages(1))


def test_page_that_was_never_backed_up_is_not_loaded() -> None:
    pool = HostKv(8 * PAGE, PAGE, filled())
    host = taken(pool, PAGE)
    with pytest.raises(ForeignIndex, match="never backed up"):
        pool.load_back(host, pages(1))
    pool.backup(host, pages(1))
    pool.free(host)
    assert pool.alloc(7 * PAGE) is not None
    again = taken(pool, PAGE)
    assert again.tolist() == host.tolist()
    with pytest.raises(ForeignIndex, match="never backed up"):
        pool.load_back(again, pages(1))


def test_without_memory_check_nothing_is_compared() -> None:
    device = filled()
    pool = HostKv(8 * PAGE, PAGE, device, memory_check=False)
    host = taken(pool, PAGE)
    pool.backup(host, pages(1))
    pool.buffers.kv_buffer.view(torch.uint8)[0, 0, 0, 0, 0] ^= 1
    pool.load_back(host, pages(2))
    assert not torch.equal(device.k[0][pages(1)], device.k[0][pages(2)])
