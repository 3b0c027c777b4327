"""State slots: order, cache, copies, memory, misuse."""

import dataclasses

import numpy as np
import pytest
import torch

from pools.base import Pool
from pools.errors import DoubleFree, ForeignIndex, InvalidSize, MemoryCorrupted
from pools.kinds.mamba_states import POOL, MambaStates
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, PROTECTED, PoolSnapshot
from pools.structures.state_buffers import StateBuffers


def taken(pool: MambaStates, count: int, owner: int = 1) -> list[int]:
    slots = pool.alloc(count, owner)
    assert slots is not None
    return slots.tolist()


def conserved(pool: MambaStates) -> PoolSnapshot:
    """I1, and every book against every other."""
    pool.audit()
    one = pool.snapshot(0.0)
    parts = one.available + one.held + one.evictable + one.protected + one.leaked
    assert parts == one.capacity
    return one


def seen(pool: MambaStates) -> tuple[dict[str, object], list[int]]:
    shown = dataclasses.asdict(pool.snapshot(0.0))
    return {**shown, "counters": None}, pool.geometry().state.tolist()


def test_kind_keeps_the_protocol() -> None:
    assert isinstance(POOL.tiny(), Pool)
    assert POOL.KIND == "mamba_states"


def test_slots_come_from_the_head_and_go_back_to_the_tail() -> None:
    pool = MambaStates.tiny()
    assert taken(pool, 3) == [1, 2, 3]
    pool.free([2])
    assert taken(pool, 10) == [4, 5, 6, 7, 8, 9, 10, 11, 12, 2]
    assert pool.alloc(1, 1) is None
    assert pool.snapshot(0.0).counters.failures_total == {"no_slots": 1}
    conserved(pool)


def test_a_state_begins_at_zero_with_its_owner_and_generation() -> None:
    pool = MambaStates.tiny()
    buffers = pool.buffers
    assert buffers is not None
    (slot,) = taken(pool, 1, owner=7)
    buffers.conv[:, slot] = 3
    buffers.temporal[1, slot] = 4
    pool.free([slot])
    pool.alloc(11, 8)
    (again,) = taken(pool, 1, owner=9)
    assert again == slot
    assert buffers.read_stamps(np.array([slot])).tolist() == [[9, 2]]
    assert not buffers.conv[:, slot].any()
    assert not buffers.temporal[1, slot].any()


def test_overwritten_state_is_found_when_it_is_given_back() -> None:
    pool = MambaStates.tiny()
    first, second = taken(pool, 2, owner=5)
    assert pool.buffers is not None
    pool.buffers.temporal[0, second] = 1.5
    before = seen(pool)
    with pytest.raises(MemoryCorrupted, match=f"state slot {second} holds"):
        pool.free([first, second])
    assert seen(pool) == before
    pool.keep([second])
    with pytest.raises(MemoryCorrupted):
        pool.evict(1)
    assert conserved(pool).evictable == 1


def test_copied_state_equals_its_source_but_for_the_stamp() -> None:
    pool = MambaStates.tiny()
    buffers = pool.buffers
    assert buffers is not None
    source, target = taken(pool, 1, owner=1)[0], taken(pool, 1, owner=2)[0]
    torch.manual_seed(3)
    buffers.conv[:, source] = torch.randn_like(buffers.conv[:, source])
    buffers.temporal[1, source] = torch.randn_like(buffers.temporal[1, source])
    pool.keep([source])
    pool.copy_state(source, target)
    assert torch.equal(buffers.conv[:, source], buffers.conv[:, target])
    assert torch.equal(buffers.temporal[1, source], buffers.temporal[1, target])
    assert buffers.read_stamps(np.array([target])).tolist() == [[2, 1]]
    pool.free([target])


def test_cached_states_go_by_their_last_use_and_locked_ones_stay() -> None:
    pool = MambaStates.tiny()
    taken(pool, 4)
    pool.keep([1, 2, 3, 4])
    pool.lock(1)
    pool.lock(1)
    pool.lock(2)
    pool.unlock(2)
    assert [int(pool.state[slot - 1]) for slot in (1, 2, 3, 4)] == [
        PROTECTED,
        EVICTABLE,
        EVICTABLE,
        EVICTABLE,
    ]
    assert conserved(pool).protected == 1
    assert pool.evict(2) == 2
    assert [int(pool.state[slot - 1]) for slot in (1, 2, 3, 4)] == [
        PROTECTED,
        EVICTABLE,
        AVAILABLE,
        AVAILABLE,
    ]
    assert pool.evict(5) == 1, "the locked one is no victim"
    pool.unlock(1)
    assert pool.evict(5) == 0, "it has one user left"
    pool.unlock(1)
    assert pool.evict(-1) == 0
    assert pool.evict(5) == 1
    assert conserved(pool).available == 12


@pytest.mark.parametrize(
    ("slots", "error"),
    [
        ([12], DoubleFree),
        ([0], ForeignIndex),
        ([13], ForeignIndex),
        ([-1], ForeignIndex),
        ([1, 1], DoubleFree),
        ([1, 3], ForeignIndex),
        ([1, 4], ForeignIndex),
    ],
    ids=["free", "padding", "beyond", "negative", "twice", "cached", "locked"],
)
def test_strict_refuses_and_frees_nothing(slots: list[int], error: type[Exception]) -> None:
    pool = MambaStates.tiny()
    taken(pool, 4)
    pool.keep([3, 4])
    pool.lock(4)
    before = seen(pool)
    with pytest.raises(error):
        pool.free(slots)
    assert seen(pool) == before
    conserved(pool)


def test_misuse_of_the_cache_changes_nothing() -> None:
    pool = MambaStates.tiny()
    taken(pool, 2)
    pool.keep([1])
    before = seen(pool)
    for call in (
        lambda: pool.lock(2),
        lambda: pool.lock(12),
        lambda: pool.unlock(1),
        lambda: pool.keep([1]),
        lambda: pool.keep([3]),
        lambda: pool.copy_state(1, 1),
        lambda: pool.copy_state(0, 2),
        lambda: pool.copy_state(1, 13),
    ):
        with pytest.raises(ForeignIndex):
            call()
    with pytest.raises(DoubleFree):
        pool.keep([2, 2])
    assert seen(pool) == before


def test_sizes_that_cannot_be_are_refused() -> None:
    for size in (0, -1):
        with pytest.raises(InvalidSize, match="slots over buffers"):
            MambaStates(size)
    with pytest.raises(InvalidSize, match="one more for padding"):
        MambaStates(8, buffers=StateBuffers(8))
    for shape in ({"slots": 0}, {"num_layers": 0}, {"conv_shape": (0, 3)}):
        with pytest.raises(InvalidSize):
            StateBuffers(**{"slots": 4, **shape})  # type: ignore[arg-type]
    with pytest.raises(InvalidSize, match="multiple of 16"):
        StateBuffers(4, temporal_shape=(1, 1, 3))
    pool = MambaStates.tiny()
    with pytest.raises(InvalidSize, match="negative"):
        pool.alloc(-1, 1)
    with pytest.raises(InvalidSize, match="int32"):
        pool.alloc(1, 2**31)
    assert taken(pool, 0) == []


def test_upstream_takes_a_slot_twice_and_shows_it() -> None:
    pool = MambaStates.tiny("upstream")
    taken(pool, 1)
    pool.free([1])
    pool.free([1])
    assert pool.available_size() == 13
    assert pool.snapshot(0.0).leaked == -1
    assert len(taken(pool, -1)) == 12, "a slice of all but one"


def test_clear_under_live_holders_frees_all_and_generations_go_on() -> None:
    pool = MambaStates.tiny()
    taken(pool, 4)
    pool.keep([2])
    pool.lock(2)
    pool.clear()
    assert conserved(pool).available == 12
    with pytest.raises(DoubleFree):
        pool.free([1])
    with pytest.raises(ForeignIndex):
        pool.unlock(2)
    assert taken(pool, 1) == [1]
    assert int(pool.generation[0]) == 2
    assert int(pool.state[0]) == HELD


def test_book_keeping_alone_needs_no_memory() -> None:
    pool = MambaStates(4)
    taken(pool, 2)
    pool.copy_state(1, 2)
    pool.free([1, 2])
    assert conserved(pool).allocated_bytes == 0
