import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pools.errors import ForeignIndex, IntegrityError, InvalidSize, MmGenerationExhausted
from pools.kinds.mm_feature import MmFeature
from pools.snapshot import LEAKED, RETIRED
from tests.pools.feature_pools import conserved, must_lease, state_of
from tests.pools.plain_feature_pool import PlainPool

KIB = 1024
LIMIT = 0x7FFFFFFF


def test_misuse_is_refused_and_changes_nothing() -> None:
    pool = MmFeature.tiny()
    lease = must_lease(pool, 300)
    before = state_of(pool)
    for nbytes in (0, -1, -256):
        with pytest.raises(InvalidSize, match=f"nbytes={nbytes}"):
            pool.lease(nbytes, 0.0)
    with pytest.raises(InvalidSize, match="CUDA IPC cannot transport an empty tensor"):
        pool.copy_tensor(torch.empty(0), 0.0)
    with pytest.raises(InvalidSize, match="owner=2147483648"):
        pool.lease(10, 0.0, owner=2**31)
    for consumer in (-1, 2):
        with pytest.raises(ForeignIndex, match=f"consumers 0 .. 1, got {consumer}"):
            pool.acknowledge(lease, consumer)
    for slot in (-1, 8, lease.slot):
        with pytest.raises(ForeignIndex, match="not a free slot"):
            pool.set_generation(slot, 5)
    with pytest.raises(InvalidSize, match="a generation is 0"):
        pool.set_generations(LIMIT + 1)
    assert state_of(pool) == before


def test_none_says_why_and_changes_nothing() -> None:
    pool = MmFeature(256 + 2048 + 100, 2, num_slots=8)
    assert pool.capacity == 2148
    for nbytes, reason in ((4000, "no_bytes"), (2100, "alignment")):
        before = state_of(pool)
        assert pool.lease(nbytes, 0.0) is None
        assert pool.last_failure == reason
        assert state_of(pool) == before
    leases = [must_lease(pool, 256) for _ in range(8)]
    for lease in leases[1:3] + leases[5:6]:
        pool.release(lease)
    for nbytes, reason in ((512, "unmerged"), (600, "no_hole")):
        before = state_of(pool)
        assert pool.lease(nbytes, 0.0) is None
        assert pool.last_failure == reason
        assert state_of(pool) == before
    for lease in leases[1:3] + leases[5:6]:
        must_lease(pool, lease.nbytes)
    pool.copy_tensor(torch.zeros(50, dtype=torch.uint8), 0.0)
    assert pool.last_failure == "alignment", "100 bytes are left behind the last whole 256"
    assert pool.snapshot(0).extra["slow_path_total"] == 5


def test_no_slot_is_told_from_no_bytes() -> None:
    pool = MmFeature(256 + 64 * KIB, 2, num_slots=2)
    assert must_lease(pool, 10).slot == 0
    assert must_lease(pool, 10).slot == 1
    assert pool.copy_tensor(torch.zeros(10), 0.0) == (None, None)
    assert pool.last_failure == "no_slot"
    assert pool.lease(1024 * KIB, 0.0) is None
    assert pool.last_failure == "no_bytes"
    assert pool.snapshot(0).counters.failures_total == {"no_slot": 1, "no_bytes": 1}


def test_strict_exhaustion_changes_nothing_and_an_older_slot_is_used_first() -> None:
    pool = MmFeature.tiny()
    pool.set_generation(0, LIMIT)
    assert must_lease(pool, 300).slot == 1
    pool.set_generations(LIMIT)
    before = state_of(pool)
    for _ in range(3):
        with pytest.raises(MmGenerationExhausted) as raised:
            pool.lease(300, 0.0)
    assert str(raised.value) == "CUDA IPC pool slot generation exhausted"
    assert raised.value.numbers["generation"] == raised.value.numbers["limit"] == LIMIT
    assert state_of(pool) == before
    assert conserved(pool).leaked == 0
    assert pool.snapshot(0).counters.raised_total == {"mm-slot-generation-exhausted": 3}
    pool.audit()


def test_upstream_exhaustion_loses_the_range_and_the_slot() -> None:
    pool = MmFeature(256 + 4096, 2, num_slots=4, checks="upstream")
    pool.set_generation(0, LIMIT)
    with pytest.raises(MmGenerationExhausted):
        pool.lease(1024, 0.0)
    snapshot = conserved(pool)
    assert (snapshot.leaked, snapshot.available) == (1024, 3072)
    assert (pool.book.free_slots(), int(pool.state[0])) == ([3, 2, 1], LEAKED)
    following = must_lease(pool, 1024)
    assert (following.slot, following.generation, following.start) == (1, 1, 256 + 1024)
    pool.audit()
    pool.clear()
    assert conserved(pool).leaked == 0


def test_a_slot_that_reaches_the_limit_is_retired_and_its_bytes_return() -> None:
    pool = MmFeature(256 + 4096, 2, num_slots=2, generation_limit=3)
    for _ in range(6):
        lease = must_lease(pool, 1024)
        pool.cancel(lease)
        pool.recycle(lease.slot + pool.passes_total)
    assert pool.state.tolist() == [RETIRED, RETIRED]
    snapshot = conserved(pool)
    assert (snapshot.available, snapshot.leaked, snapshot.retired) == (4096, 0, 0)
    assert (snapshot.extra["retired_slots"], snapshot.extra["usable_slots"]) == (2, 0)
    assert snapshot.generations.seconds_until_limit == 0.0
    with pytest.raises(MmGenerationExhausted):
        pool.lease(1, 0.0)
    pool.audit()


def test_on_free_needs_no_pass_to_merge() -> None:
    pool = MmFeature(256 + 1024, 2, num_slots=8, merge="on_free")
    leases = [must_lease(pool, 256) for _ in range(4)]
    pool.release(leases[1])
    pool.release(leases[2])
    assert must_lease(pool, 512).start == leases[1].start


def test_audit_finds_bytes_that_are_lost_or_owned_twice() -> None:
    pool = MmFeature.tiny()
    must_lease(pool, 300)
    pool.space.take(256)
    with pytest.raises(IntegrityError, match="bytes neither free nor leased: kept 0, counted 256"):
        pool.audit()
    assert pool.residual() == pool.snapshot(0).leaked == 256
    pool.space.give_back(256, 512)
    with pytest.raises(IntegrityError, match="bytes in two extents"):
        pool.audit()


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    num_slots=st.sampled_from([2, 12, 200]),
    odd_bytes=st.sampled_from([0, 100]),
    checks=st.sampled_from(["strict", "upstream"]),
    direct=st.booleans(),
)
def test_leases_as_the_plain_pool(
    seed: int, num_slots: int, odd_bytes: int, checks: str, direct: bool
) -> None:
    chance = random.Random(seed)
    pool = MmFeature(2560 + 64 * KIB + odd_bytes, 1, num_slots=num_slots, checks=checks)
    plain = PlainPool(pool.layout.data_start, pool.layout.memory_size, num_slots, LIMIT)
    acked: set[tuple[int, int]] = set()
    for step in range(150):
        active = list(pool.book.occupied.values())
        what = chance.random()
        if what < 0.5:
            nbytes = chance.choice([1, 256, 257, 1000, chance.randint(1, 30_000)])
            lease, expected = pool.lease(nbytes, step), plain.lease(nbytes)
            assert expected == (lease and (lease.start, lease.end, lease.slot, lease.generation))
            if lease is not None:
                pool.publish(lease)
        elif what < 0.75 and active:
            lease = chance.choice(active)
            pool.acknowledge(lease, 0)
            acked.add((lease.slot, lease.generation))
        elif what < 0.8 and active and direct:
            lease = chance.choice(active)
            pool.release(lease)
            plain.release((lease.start, lease.end, lease.slot, lease.generation))
        elif what < 0.9 and (checks == "upstream" or active):
            pool.recycle(step)
            plain.recycle(acked)
        assert pool.space.order() == plain.free.by_preference()
        assert pool.book.free_slots() == plain.slots
        assert conserved(pool).leaked == 0
        pool.audit()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_upstream_checks_lose_what_the_plain_pool_loses(seed: int) -> None:
    chance = random.Random(seed)
    pool = MmFeature(256 + 64 * KIB, 1, num_slots=12, generation_limit=3, checks="upstream")
    plain = PlainPool(256, 256 + 64 * KIB, 12, 3)
    for step in range(100):
        if chance.random() < 0.6:
            nbytes = chance.randint(1, 20_000)
            expected = plain.lease(nbytes)
            if expected == "exhausted":
                with pytest.raises(MmGenerationExhausted):
                    pool.lease(nbytes, step)
            else:
                lease = pool.lease(nbytes, step)
                assert (lease is None) == (expected is None)
        elif plain.leases:
            lease = pool.book.occupied[chance.choice(plain.leases)[2]]
            pool.release(lease)
            plain.release((lease.start, lease.end, lease.slot, lease.generation))
        lost = pool.capacity - sum(end - start for start, end in plain.free.ranges)
        lost -= sum(end - start for start, end, _, _ in plain.leases)
        assert conserved(pool).leaked == lost
        assert pool.book.free_slots() == plain.slots
        pool.audit()
