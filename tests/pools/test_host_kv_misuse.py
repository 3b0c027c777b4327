"""Host KV: order of slots, and calls that make no sense, under both checks."""

import numpy as np
import pytest

from pools.errors import DoubleFree, ForeignIndex, HostTransferSizeMismatch, InvalidSize
from pools.kinds.host_kv import HostKv
from pools.side_errors import (
    HostKvAllocUnaligned,
    HostKvDoubleAlloc,
    HostKvDoubleFree,
    HostTokenCapacityUnaligned,
)
from pools.structures.kv_buffers import KvBuffers
from tests.pools.host_kv_pools import PAGE, conserved, filled, pages, seen, taken


def test_sides_of_different_length_are_refused() -> None:
    pool = HostKv(8 * PAGE, PAGE, filled())
    host = taken(pool, 2 * PAGE)
    before = seen(pool)
    for copy in (pool.backup, pool.load_back):
        with pytest.raises(HostTransferSizeMismatch) as caught:
            copy(host, pages(1))
        assert str(caught.value) == "host_kv transfer index size mismatch: host=8, device=4"
    assert seen(pool) == before


@pytest.mark.parametrize(
    ("host", "device"),
    [
        (pages(2), pages(1)),
        (pages(0)[::-1].copy(), pages(1)),
        (np.array([0, 1, 2]), np.array([4, 5, 6])),
        (pages(99), pages(1)),
        (np.array([-4, -3, -2, -1]), pages(1)),
        (pages(0, 0), pages(1, 2)),
        (pages(0), pages(16)),
        (pages(0), np.array([-1, 0, 1, 2])),
    ],
    ids=["free", "backwards", "part", "beyond", "negative", "twice", "token beyond", "token < 0"],
)
def test_copies_that_make_no_sense_are_refused_and_copy_nothing(
    host: np.ndarray, device: np.ndarray
) -> None:
    pool = HostKv(8 * PAGE, PAGE, filled())
    taken(pool, 2 * PAGE)
    before = seen(pool)
    with pytest.raises(ForeignIndex):
        pool.backup(host, device)
    assert seen(pool) == before


def test_copy_of_nothing_is_nothing() -> None:
    pool = HostKv.tiny()
    empty = np.empty(0, np.int64)
    pool.backup(empty, empty)
    pool.load_back(empty, empty)
    assert pool.free(empty) == 0
    assert pool.snapshot(0.0).counters.frees_total == 0


def test_slots_come_first_in_first_out_and_alignment_comes_before_capacity() -> None:
    pool = HostKv.tiny()
    assert taken(pool, 8).tolist() == list(range(8))
    pool.free(np.arange(4))
    assert taken(pool, 4).tolist() == [8, 9, 10, 11]
    with pytest.raises(HostKvAllocUnaligned, match=r"^The requested size should be a multiple"):
        pool.alloc(65)
    assert pool.alloc(60) is None
    assert pool.snapshot(0.0).counters.failures_total == {"no_tokens": 1}
    conserved(pool)


@pytest.mark.parametrize(
    ("slots", "error"),
    [
        ([8], HostKvDoubleFree),
        ([0, 63], HostKvDoubleFree),
        ([0, 0], DoubleFree),
        ([64], ForeignIndex),
        ([-1], ForeignIndex),
    ],
)
def test_strict_refuses_and_frees_nothing(slots: list[int], error: type[Exception]) -> None:
    pool = HostKv.tiny()
    taken(pool, 8)
    before = seen(pool)
    with pytest.raises(error):
        pool.free(np.array(slots))
    assert seen(pool) == before
    conserved(pool)


def test_double_free_names_the_slots_in_upstreams_words() -> None:
    for checks in ("strict", "upstream"):
        pool = HostKv.tiny(checks)  # type: ignore[arg-type]
        taken(pool, 4)
        with pytest.raises(HostKvDoubleFree) as caught:
            pool.free(np.array([3, 4, 5]))
        assert str(caught.value) == ("Double-free detected: slots not currently allocated: [4, 5].")


def test_upstream_takes_a_slot_twice_in_one_call_and_finds_out_later() -> None:
    pool = HostKv.tiny("upstream")
    taken(pool, 64)
    pool.free(np.array([0, 1, 2, 3, 0, 1, 2, 3]))
    assert pool.available_size() == 8
    assert pool.residual() == -4, "owned twice"
    assert taken(pool, 4).tolist() == [0, 1, 2, 3]
    with pytest.raises(HostKvDoubleAlloc) as caught:
        pool.alloc(4)
    assert str(caught.value) == ("Double-alloc detected: slots already allocated: [0, 1, 2, 3].")


@pytest.mark.parametrize("size", [0, -4, 6])
def test_sizes_that_cannot_be_are_refused(size: int) -> None:
    with pytest.raises(HostTokenCapacityUnaligned, match=f"got {size} for page_size=4"):
        HostKv(size, PAGE, KvBuffers(8))


def test_other_arguments_that_cannot_be() -> None:
    for page in (0, -1):
        with pytest.raises(InvalidSize):
            HostKv(8, page, KvBuffers(8))
    with pytest.raises(InvalidSize, match="Unsupported IO backend"):
        HostKv(8, PAGE, KvBuffers(8), io_backend="carrier_pigeon")
    with pytest.raises(InvalidSize, match="negative"):
        HostKv.tiny().alloc(-4)


def test_clear_under_live_holders() -> None:
    pool = HostKv.tiny()
    host = taken(pool, 8)
    pool.backup(host, pages(1, 2))
    pool.clear()
    conserved(pool)
    assert pool.available_size() == 64
    with pytest.raises(HostKvDoubleFree):
        pool.free(host)
    with pytest.raises(ForeignIndex):
        pool.load_back(host, pages(1, 2))
    again = taken(pool, 8)
    with pytest.raises(ForeignIndex, match="never backed up"):
        pool.load_back(again, pages(1, 2))
