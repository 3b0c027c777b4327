"""Adapters that are all pinned."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="all-but-one-pinned",
        title="Every adapter is loaded pinned",
        setting="4 slots of rank 8, and 4 adapters that are loaded pinned one after another.",
        case=BuildCase(
            pool="lora_slots",
            options={"slots": 4, "max_rank": 8, "pinned": True},
            offered=(8,) * 4,
        ),
        tries=(
            Try("load-unpinned", build(lambda case: case.built(pinned=False))),
            Try("unload-first", build(lambda case: case.built(unload_first=True))),
            Try("raise-max-loras", build(lambda case: case.built(slots=8))),
        ),
    ),
)
