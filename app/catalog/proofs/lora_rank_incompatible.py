"""Adapters that slots do not fit."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

_RANK = Try("raise-max-rank", build(lambda case: case.built(max_rank=64)))

CAUSES = (
    Cause(
        name="rank-above-limit",
        title="The rank is above the slots' rank",
        setting="4 slots of rank 8 with every module; adapters of rank 8 and of rank 16.",
        case=BuildCase(pool="lora_slots", options={"slots": 4, "max_rank": 8}, offered=(8, 16)),
        tries=(_RANK,),
    ),
    Cause(
        name="modules-without-buffers",
        title="The adapter touches modules that have no buffers",
        setting="4 slots of rank 16 with buffers for o_proj only; two adapters of rank 8 over "
        "every module. The message names the rank all the same.",
        case=BuildCase(
            pool="lora_slots",
            options={"slots": 4, "max_rank": 16, "modules": ("o_proj",)},
            offered=(8, 8),
        ),
        tries=(
            Try("add-modules", build(lambda case: case.built(modules=("qkv_proj", "o_proj")))),
            _RANK,
        ),
    ),
)
