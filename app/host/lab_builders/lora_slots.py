"""Adapter slots, and adapters that are loaded one after another."""

import itertools
from collections.abc import Callable

import torch

from pools.kinds.lora_slots import LoraSlots
from pools.structures.lora_buffers import MODULES, LoraBuffers, Weights


def build(
    *,
    slots: int,
    max_rank: int,
    modules: tuple[str, ...] = tuple(MODULES),
    pinned: bool = False,
    unload_first: bool = False,
) -> tuple[LoraSlots, Callable[[int], object]]:
    """A pool whose slots have these modules; amounts are ranks of adapters over every module.

    Args:
        slots: `--max-loras-per-batch`.
        max_rank: `--max-lora-rank`.
        modules: `--lora-target-modules`.
        pinned: adapters are loaded pinned.
        unload_first: before a pinned adapter too many, the first one is unloaded.

    Raises:
        LoraRankIncompatible, LoraPinWouldStarve: as the pool does.
    """
    buffers = LoraBuffers(slots, max_rank, modules={name: MODULES[name] for name in modules})
    pool, numbers = LoraSlots(buffers), itertools.count()

    def load(rank: int) -> object:
        if unload_first and pool.num_pinned >= slots - 1:
            pool.unload(next(iter(pool.adapters)))
        name = f"adapter-{next(numbers)}"
        pool.load(name, _weights(rank, buffers.num_layers), pinned=pinned)
        return name

    return pool, load


def _weights(rank: int, layers: int) -> Weights:
    a = {name: torch.ones(layers, rank, width) for name, (width, _) in MODULES.items()}
    b = {name: torch.ones(layers, width, rank) for name, (_, width) in MODULES.items()}
    return Weights(rank, a, b)


BUILDER = build
