"""A cached state cannot be copied: no free slot."""

from app.catalog import mamba
from app.catalog.entry import ErrorEntry, Remedy, Source

ENTRY = ErrorEntry(
    code="mamba-cache-cannot-alloc",
    id="6fedf2b87efea554",
    title="No state slot for a cached state",
    verdict="A cached state was to be copied and no slot was free after evicting one: all are "
    "locked, or the other side of a shared buffer holds the room. Raise `--max-mamba-cache-size`, "
    "or run fewer requests.",
    severity="critical",
    exception="AssertionError",
    message="Can not alloc mamba cache",
    also=("Cannot alloc mamba for load_back", "Can not alloc int8 mamba checkpoint slot"),
    pool="mamba_states",
    reach="operator",
    meaning=mamba.MEANING,
    trigger="Copying a cached state, loading it back or storing it finds no slot after evicting "
    "one.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/unified_cache/components/mamba.py",
            function="MambaComponent.finalize_match_result_in_cache",
            line=221,
            description="Copies the state of a matched prefix into a slot of the request.",
        ),
    ),
    flags=mamba.flags(),
    situations=(
        "Unified memory: 21.2 MB between the two sides, one state needs 53.6 MB, all usage "
        "figures near 0.35 (sgl-project/sglang#34441).",
    ),
    remedies=(
        mamba.MORE_SLOTS,
        mamba.FEWER,
        Remedy(
            text="With `--enable-unified-memory` on and usage low, turn it off.",
            seen="sgl-project/sglang#34441 (open)",
        ),
    ),
    related=(
        "mamba-slots-exhausted",
        "mamba-ping-pong-exhausted",
        "max-running-requests-mamba-cap",
    ),
    reports=("sgl-project/sglang#34441",),
)
