import time

import numpy as np
import pytest
import torch

from pools.base import Pool
from pools.device import EndlessWait
from pools.errors import MmLeaseCancelInactive, MmLeaseInactive
from pools.kinds.mm_feature import POOL, MmFeature
from pools.snapshot import AVAILABLE, HELD, LEAKED
from tests.pools.feature_pools import acknowledge_all, conserved, must_lease

KIB = 1024


def test_is_a_pool_found_by_its_file() -> None:
    pool = POOL.tiny()
    assert isinstance(pool, Pool)
    assert (pool.KIND, pool.name) == ("mm_feature", "mm_feature")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_bytes_come_back_as_they_went_in(dtype: torch.dtype) -> None:
    pool = MmFeature.tiny()
    features = torch.arange(60).reshape(3, 4, 5).to(dtype).transpose(0, 2)
    lease, view = pool.copy_tensor(features, 0.0, owner=4)
    assert lease is not None
    assert view is not None
    assert view.shape == (features.nbytes,)
    assert torch.equal(pool.read(lease).view(dtype).view(5, 4, 3), features)
    assert view.data_ptr() == pool.byte_tensor.data_ptr() + lease.start


def test_leases_do_not_write_into_one_another() -> None:
    pool = MmFeature.tiny()
    leases = []
    for value in range(5):
        lease, _ = pool.copy_tensor(torch.full((700,), value, dtype=torch.uint8), 0.0)
        assert lease is not None
        leases.append(lease)
    for value, lease in enumerate(leases):
        assert (pool.read(lease) == value).all()


def test_an_unpublished_lease_cannot_be_read() -> None:
    pool = MmFeature.tiny()
    lease = must_lease(pool, 100)
    with pytest.raises(EndlessWait):
        pool.read(lease)
    pool.publish(lease)
    assert pool.read(lease).shape == (100,)


def test_a_pass_frees_what_is_published_and_acknowledged_by_all() -> None:
    pool = MmFeature.tiny()
    silent, half, unpublished, done = (must_lease(pool, 300) for _ in range(4))
    for lease in (silent, half, done):
        pool.publish(lease)
    pool.acknowledge(half, 1)
    acknowledge_all(pool, unpublished)
    acknowledge_all(pool, done)
    assert pool.snapshot(0).leases.outstanding == (2, 1)
    assert pool.recycle(0.0) == [done]
    assert [row[4] for row in pool.geometry().leases.tolist()] == [2, 1, 0]
    pool.audit()


def test_passes_keep_the_interval_of_the_engines_clock() -> None:
    pool = MmFeature(64 * KIB, 1, num_slots=8, recycle_interval_s=0.05)
    ran = []
    for tick in range(31):
        before = pool.passes_total
        pool.recycle(tick * 10_000_000 / 1e9)
        if pool.passes_total > before:
            ran.append(tick)
    assert ran == [0, 5, 10, 15, 20, 25, 30], "no pass lost to the rounding of a float"


def test_a_pass_merges_what_was_released_directly_when_no_lease_is_left() -> None:
    pool = MmFeature(256 + 1024, 2, num_slots=8)
    for lease in [must_lease(pool, 512), must_lease(pool, 512)]:
        pool.release(lease)
    assert pool.lease(1024, 0.0) is None
    assert pool.last_failure == "unmerged"
    assert pool.recycle(0.0) == []
    assert must_lease(pool, 1024).start == 256


def test_cancel_frees_on_the_next_pass() -> None:
    pool = MmFeature.tiny()
    lease = must_lease(pool, 300)
    pool.cancel(lease)
    assert pool.book.is_active(lease)
    assert pool.recycle(0.0) == [lease]
    with pytest.raises(MmLeaseCancelInactive, match="Cannot cancel inactive"):
        pool.cancel(lease)


@pytest.mark.parametrize("checks", ["strict", "upstream"])
def test_a_stale_lease_is_not_released(checks: str) -> None:
    pool = MmFeature.tiny(checks=checks)
    old = must_lease(pool, 300)
    pool.release(old)
    new = must_lease(pool, 300)
    assert new.slot == old.slot
    with pytest.raises(MmLeaseInactive) as refused:
        pool.release(old)
    assert str(refused.value) == (
        "Cannot release inactive CUDA IPC pool lease (slot=0, generation=1)"
    )
    assert pool.book.is_active(new)
    assert pool.snapshot(0).counters.raised_total == {"mm-lease-release-inactive": 1}


def test_a_late_acknowledgement_is_refused_or_changes_nothing() -> None:
    for checks in ("strict", "upstream"):
        pool = MmFeature.tiny(checks=checks)
        old = must_lease(pool, 300)
        pool.release(old)
        new = must_lease(pool, 300)
        pool.publish(new)
        pool.acknowledge(new, 0)
        if checks == "strict":
            with pytest.raises(MmLeaseInactive):
                pool.acknowledge(old, 1)
        else:
            pool.acknowledge(old, 1)
        assert pool.recycle(0.0) == [], "a stale word does not equal the generation"
        pool.acknowledge(new, 1)
        assert pool.recycle(1.0) == [new]


def test_generations_go_on_after_clear() -> None:
    pool = MmFeature.tiny()
    old = must_lease(pool, 300)
    pool.publish(old)
    pool.clear()
    assert conserved(pool).available == pool.capacity
    new = must_lease(pool, 300)
    assert (new.slot, new.generation) == (old.slot, 2)
    assert pool.recycle(0.0) == []
    pool.audit()


def test_a_generation_set_back_does_not_meet_its_own_old_words() -> None:
    pool = MmFeature.tiny()
    first = must_lease(pool, 300)
    pool.cancel(first)
    pool.recycle(0.0)
    pool.set_generations(0)
    again = must_lease(pool, 300)
    assert (again.slot, again.generation) == (first.slot, first.generation)
    assert pool.recycle(1.0) == [], "nobody has acknowledged this one"


def test_geometry_is_by_address_within_the_capacity() -> None:
    pool = MmFeature.tiny()
    first, second = must_lease(pool, 300, owner=5), must_lease(pool, 1000, owner=6)
    pool.release(first)
    cells = pool.geometry()
    assert cells.state.tolist()[:3] == [AVAILABLE, HELD, AVAILABLE]
    assert cells.owner.tolist()[:3] == [-1, 6, -1]
    assert cells.free_edges is not None
    assert cells.free_edges.dtype == np.uint64
    assert cells.free_edges.tolist() == [0, 512, 1536, pool.capacity]
    assert cells.leases is not None
    assert cells.leases.tolist() == [[second.slot, 512, 1536, 1, 2]]
    assert (cells.unit_per_cell, cells.free_ranges_total) == (0, 2)
    cells.state[:] = LEAKED
    assert LEAKED not in pool.state


def test_snapshot_counts_alignment_and_is_a_copy() -> None:
    pool = MmFeature.tiny()
    must_lease(pool, 1)
    must_lease(pool, 256)
    snapshot = pool.snapshot(0.0, "replay")
    assert (snapshot.source, snapshot.unit, snapshot.device) == ("replay", "bytes", "cpu")
    assert snapshot.extra["alignment_waste_bytes"] == 255
    assert snapshot.modelled_bytes == snapshot.allocated_bytes == 256 + 16 * KIB
    snapshot.counters.failures_total["x"] = 1
    assert pool.snapshot(0.0).counters.failures_total == {}


def test_a_failed_copy_gives_everything_back() -> None:
    pool = MmFeature.tiny()
    with pytest.raises(NotImplementedError):
        pool.copy_tensor(torch.zeros(300, device="meta"), 0.0)
    assert conserved(pool).available == pool.capacity
    assert (len(pool.space), pool.book.usable_slots) == (1, 8)
    pool.audit()


def test_a_full_pool_of_4096_leases_is_described_within_a_millisecond() -> None:
    pool = MmFeature(49_152 + 8192 * 1024, 2)
    leases = [must_lease(pool, 1000) for _ in range(4096)]
    for lease in leases[::2]:
        pool.cancel(lease)
    assert len(pool.recycle(0.0)) == 2048
    assert pool.snapshot(0.0).free_ranges.count == 2049
    best_s = float("inf")
    for _ in range(20):
        started = time.perf_counter()
        pool.snapshot(0.0)
        best_s = min(best_s, time.perf_counter() - started)
    assert best_s < 1e-3
    pool.audit()
