"""Adapter slots: rank, modules, pins, the base model, who makes room, bytes, misuse."""

import numpy as np
import pytest
import torch

from pools.base import Checks, Pool
from pools.errors import DoubleFree, ForeignIndex, InvalidSize, MemoryCorrupted
from pools.kinds.lora_slots import POOL, LoraSlots
from pools.side_errors import LoraNoBufferSlot, LoraPinWouldStarve, LoraRankIncompatible
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, PROTECTED
from pools.structures.lora_buffers import MODULES, LoraBuffers, Weights, normalized


def weights(rank: int = 4, seed: int = 0, modules: tuple[str, ...] = ("qkv_proj",)) -> Weights:
    random = torch.Generator().manual_seed(seed)
    shapes = {name: MODULES[name] for name in modules}
    return Weights(
        rank,
        {name: torch.randn(2, rank, wide, generator=random) for name, (wide, _) in shapes.items()},
        {name: torch.randn(2, wide, rank, generator=random) for name, (_, wide) in shapes.items()},
    )


def pool_of(*names: str, pinned: tuple[str, ...] = (), checks: Checks = "strict") -> LoraSlots:
    pool = LoraSlots.tiny(checks)
    for seed, name in enumerate(names):
        pool.load(name, weights(seed=seed), pinned=name in pinned)
    return pool


def conserved(pool: LoraSlots) -> None:
    pool.audit()
    one = pool.snapshot(0.0)
    assert one.available + one.held + one.protected + one.evictable + one.leaked == one.capacity
    assert one.leaked == 0


def seen(pool: LoraSlots) -> tuple[object, ...]:
    memory = [one.numpy().tobytes() for one in (*pool.buffers.a.values(), *pool.buffers.b.values())]
    residents = pool.residents
    return pool.state.tolist(), dict(residents.slot_of), list(residents.used), memory


def test_kind_keeps_the_protocol() -> None:
    assert isinstance(POOL.tiny(), Pool)
    assert POOL.KIND == "lora_slots"


def test_base_model_takes_a_slot_of_zeros_and_comes_first() -> None:
    pool = pool_of("b", "a")
    assert pool.prepare_batch(["b", None, "a"]) == {None: 0, "a": 1, "b": 2}
    assert not pool.buffers.a["qkv_proj"][0].any()
    assert pool.available_size() == 1
    conserved(pool)


def test_slot_holds_the_weights_and_zeros_beyond_the_rank() -> None:
    pool = LoraSlots.tiny()
    mine = weights(rank=3, modules=("qkv_proj", "o_proj"))
    pool.load("sql", mine)
    slot = pool.prepare_batch(["sql"])["sql"]
    for name in MODULES:
        assert torch.equal(pool.buffers.a[name][slot, :, :3], mine.a[name])
        assert torch.equal(pool.buffers.b[name][slot, :, :, :3], mine.b[name])
        assert not pool.buffers.a[name][slot, :, 3:].any()
    conserved(pool)


def test_a_smaller_adapter_leaves_nothing_of_the_larger_one_before_it() -> None:
    pool = LoraSlots(LoraBuffers(1, 8))
    pool.load("large", weights(8, 1, ("qkv_proj", "o_proj")))
    pool.load("small", weights(2, 2))
    pool.prepare_batch(["large"])
    pool.prepare_batch(["small"])
    assert not pool.buffers.a["o_proj"].any()
    conserved(pool)


def test_least_recently_used_makes_room_and_the_base_model_last() -> None:
    pool = pool_of("a", "b", "c", "d", "e")
    pool.prepare_batch([None, "a", "b", "c"])
    pool.prepare_batch(["a"])
    assert pool.prepare_batch(["d"]) == {"d": 2}, "b was used before c was: both once, by name"
    assert pool.prepare_batch(["a", "c", "d"])["a"] == 1
    assert pool.prepare_batch(["a", "c", "d", "e"])["e"] == 0, "only the base model is left"
    assert pool.evicted_total == 2
    conserved(pool)


def test_fifo_goes_by_arrival() -> None:
    pool = LoraSlots(LoraBuffers(2, 8), eviction_policy="fifo")
    for seed, name in enumerate("abc"):
        pool.load(name, weights(seed=seed))
    pool.prepare_batch(["a"])
    pool.prepare_batch(["b"])
    pool.prepare_batch(["a"])
    assert pool.prepare_batch(["c"]) == {"c": 0}


def test_pinned_adapters_never_make_room() -> None:
    pool = pool_of("a", "b", "c", "d", pinned=("a", "b"))
    pool.prepare_batch(["a", "b", "c"])
    pool.prepare_batch([None, "d"])
    assert set(pool.residents.slot_of) == {"a", "b", "d", None}
    states = [int(pool.state[slot]) for slot in range(4)]
    assert states == [PROTECTED, PROTECTED, HELD, HELD]
    pool.prepare_batch([None])
    assert int(pool.state[pool.residents.slot_of["d"]]) == EVICTABLE
    conserved(pool)


def test_all_slots_but_one_can_be_pinned() -> None:
    pool = pool_of("a", "b", "c", pinned=("a", "b", "c"))
    with pytest.raises(LoraPinWouldStarve) as caught:
        pool.load("d", weights(), pinned=True)
    assert caught.value.numbers == {"lora_name": "d", "num_pinned": 3, "max_loras_per_batch": 4}
    assert "d" not in pool.adapters
    pool.load("d", weights())
    single = LoraSlots(LoraBuffers(1, 8))
    with pytest.raises(LoraPinWouldStarve):
        single.load("a", weights(), pinned=True)


@pytest.mark.parametrize("rank", [9, 0, -1])
def test_rank_beyond_the_slots_is_refused(rank: int) -> None:
    pool = LoraSlots.tiny()
    with pytest.raises(LoraRankIncompatible, match=f"sql with rank {rank} is incompatible"):
        pool.load("sql", Weights(rank, {}, {}))


def test_modules_without_buffers_are_refused_with_the_same_text() -> None:
    pool = LoraSlots.tiny()
    one = weights()
    with pytest.raises(LoraRankIncompatible, match="rank 4 is incompatible"):
        pool.load("sql", Weights(4, {"gate_proj": one.a["qkv_proj"]}, {}))
    assert pool.can_support(8, ["model.layers.0.q_proj", "o_proj"])
    assert pool.can_support(8, ["all"])
    assert not pool.can_support(8, ["gate_up_proj"])
    assert normalized(["x.k_proj", "up_proj"]) == {"qkv_proj", "gate_up_proj"}


def test_weights_of_other_shapes_are_refused_by_module() -> None:
    pool = LoraSlots.tiny()
    one = weights()
    for wrong, text in (
        (Weights(3, one.a, one.b), "rank 3 takes"),
        (Weights(4, one.a, {}), "qkv_proj have shapes"),
        (Weights(4, {"q_proj": one.a["qkv_proj"]}, {}), "give those of qkv_proj"),
    ):
        with pytest.raises(InvalidSize, match=text):
            pool.load("sql", wrong)
    assert pool.adapters == {}


def test_batch_of_too_many_changes_nothing_under_strict_checks() -> None:
    pool = pool_of("a", "b", "c", "d", "e", pinned=("a",))
    pool.prepare_batch(["a", "b"])
    before = seen(pool)
    with pytest.raises(LoraNoBufferSlot) as caught:
        pool.prepare_batch([None, "b", "c", "d", "e"])
    assert caught.value.numbers == {"max_loras_per_batch": 4, "num_wanted": 5, "num_pinned": 1}
    assert seen(pool) == before
    assert not pool.validate_batch([None, "b", "c", "d"]), "a is pinned and not of the batch"
    assert pool.validate_batch([None, "a", "b", "c"])
    conserved(pool)


def test_upstream_has_loaded_those_before_when_it_raises() -> None:
    pool = pool_of("a", "b", "c", "d", "e", checks="upstream")
    with pytest.raises(LoraNoBufferSlot):
        pool.prepare_batch(["a", "b", "c", "d", "e"])
    assert set(pool.residents.slot_of) == {"a", "b", "c", "d"}
    conserved(pool)


def test_both_checks_choose_the_same_slots() -> None:
    rng = np.random.default_rng(2)
    names = [None, *"abcdefg"]
    strict, upstream = (
        pool_of(*"abcdefg", pinned=("b",), checks=checks) for checks in ("strict", "upstream")
    )
    for _ in range(200):
        batch = [names[i] for i in rng.choice(8, int(rng.integers(1, 4)), replace=False)]
        assert strict.prepare_batch(batch) == upstream.prepare_batch(batch)
        assert strict.generation.tolist() == upstream.generation.tolist()
    conserved(strict)
    conserved(upstream)


def test_misuse_changes_nothing() -> None:
    pool = pool_of("a", "b")
    pool.prepare_batch(["a"])
    before = seen(pool)
    for call, error in (
        (lambda: pool.load("a", weights()), DoubleFree),
        (lambda: pool.unload("zz"), ForeignIndex),
        (lambda: pool.unload("a"), ForeignIndex),
        (lambda: pool.prepare_batch(["b", "zz"]), ForeignIndex),
    ):
        with pytest.raises(error):
            call()
        assert seen(pool) == before
    assert pool.prepare_batch([]) == {}
    assert pool.prepare_batch(["a", "a"]) == {"a": 0}, "named twice is named once"


def test_unloaded_adapter_leaves_an_empty_zeroed_slot() -> None:
    pool = pool_of("a", "b")
    pool.prepare_batch(["a", "b"])
    pool.prepare_batch(["b"])
    pool.unload("a")
    assert int(pool.state[0]) == AVAILABLE
    assert not pool.buffers.a["qkv_proj"][0].any()
    pool.load("a", weights(seed=9))
    assert pool.prepare_batch(["a"]) == {"a": 0}
    conserved(pool)


def test_overwritten_slot_is_found() -> None:
    pool = pool_of("a")
    pool.prepare_batch(["a"])
    pool.buffers.b["o_proj"][0, 1, 2, 3] = 1
    with pytest.raises(MemoryCorrupted, match="slot 0 does not hold the weights of a"):
        pool.audit()


def test_sizes_and_policies_that_cannot_be() -> None:
    for wrong in ({"slots": 0}, {"max_rank": 0}, {"num_layers": -1}, {"modules": {}}):
        with pytest.raises(InvalidSize):
            LoraBuffers(**{"slots": 2, "max_rank": 4, **wrong})  # type: ignore[arg-type]
    with pytest.raises(InvalidSize, match="use lru or fifo"):
        LoraSlots(LoraBuffers(2, 4), eviction_policy="mru")


def test_clear_under_a_running_batch_keeps_what_is_known() -> None:
    pool = pool_of("a", "b", pinned=("a",))
    pool.prepare_batch(["a", "b"])
    pool.clear()
    conserved(pool)
    assert pool.available_size() == 4
    assert pool.prepare_batch(["b"]) == {"b": 0}
    assert pool.generation.tolist() == [2, 1, 0, 0]
