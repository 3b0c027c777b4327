import pytest
import torch

from pools.errors import (
    InvalidSize,
    MmByteTensorInvalid,
    MmPoolTooSmall,
    MmRecycleIntervalNotPositive,
)
from pools.kinds.mm_feature import MmFeature
from tests.pools.feature_pools import must_lease

KIB = 1024
LIMIT = 0x7FFFFFFF


@pytest.mark.parametrize(
    "consumers, control", [(1, 32_768), (2, 49_152), (4, 81_920), (8, 147_456)]
)
def test_control_words_take_the_front_of_the_buffer(consumers: int, control: int) -> None:
    pool = MmFeature(256 * KIB, consumers)
    assert pool.layout.data_start == control
    assert pool.snapshot(0).available == pool.capacity == 256 * KIB - control
    assert must_lease(pool, 1).start == control


def test_construction_errors_are_coded() -> None:
    with pytest.raises(MmPoolTooSmall) as small:
        MmFeature(49_152, 2)
    assert str(small.value) == (
        "CUDA IPC pool is too small after control metadata: pool=49152, control=49152"
    )
    with pytest.raises(MmRecycleIntervalNotPositive, match="recycle_interval must be positive"):
        MmFeature(256 * KIB, 2, recycle_interval_s=0.0)
    with pytest.raises(MmRecycleIntervalNotPositive):
        MmFeature(256 * KIB, 2, recycle_interval_s=float("nan"))
    for name, value, told in (
        ("memory_size", 0, "memory_size"),
        ("consumer_count", -1, "consumer_count"),
        ("num_slots", 0, "max_inflight_slices"),
    ):
        sizes = {"memory_size": 256 * KIB, "consumer_count": 2} | {name: value}
        with pytest.raises(InvalidSize, match=f"{told} must be positive"):
            MmFeature(**sizes)
    for limit in (0, LIMIT + 1):
        with pytest.raises(InvalidSize, match="31 bits"):
            MmFeature(256 * KIB, 2, generation_limit=limit)


@pytest.mark.parametrize(
    "memory",
    [
        torch.zeros(64 * KIB - 1, dtype=torch.uint8),
        torch.zeros(64 * KIB, dtype=torch.int8),
        torch.zeros(128 * KIB, dtype=torch.uint8)[::2],
        torch.zeros(64 * KIB, dtype=torch.uint8, device="meta"),
    ],
    ids=["short", "type", "strided", "device"],
)
def test_unsuitable_memory_is_refused(memory: torch.Tensor) -> None:
    with pytest.raises(MmByteTensorInvalid, match="contiguous uint8 tensor on cpu"):
        MmFeature(64 * KIB, 2, num_slots=8, byte_tensor=memory)


def test_memory_from_outside_is_used_in_place() -> None:
    memory = torch.full((64 * KIB,), 0xFF, dtype=torch.uint8)
    pool = MmFeature(64 * KIB, 2, num_slots=8, byte_tensor=memory)
    lease, _ = pool.copy_tensor(torch.arange(16, dtype=torch.uint8), 0.0)
    assert lease is not None
    assert memory[lease.start : lease.start + 16].tolist() == list(range(16))
    assert memory[:4].view(torch.int32).item() == lease.generation
