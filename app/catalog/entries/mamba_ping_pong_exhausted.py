"""A request gets no slot for its tracking buffer."""

from app.catalog import mamba
from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="mamba-ping-pong-exhausted",
    id="7f64be9bd1a7d22f",
    title="No state slot for tracking",
    verdict="The state pool has no slot left for the tracking buffer of a request: each takes two "
    "or three slots, not one. Raise `--max-mamba-cache-size`, or run fewer requests.",
    severity="critical",
    exception="AssertionError",
    message="Not enough space for mamba ping pong idx, try to increase --mamba-full-memory-ratio.",
    pool="mamba_states",
    reach="operator",
    meaning=mamba.MEANING,
    trigger="With extra buffers on, a request has its state slot and gets none for tracking.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool.py",
            function="HybridReqToTokenPool.alloc",
            line=1620,
            description="Takes one slot for tracking, two with overlapped scheduling, and stops "
            "when there are none.",
        ),
    ),
    flags=(*mamba.flags(), known("--disable-overlap-schedule", "none")),
    situations=(
        "28 slots, 4 requests: usage of the state pool went from 0.43 to 0.89 in one admission.",
        "A PD decode server made one slot per request where three are needed "
        "(sgl-project/sglang#19002, merged).",
    ),
    remedies=(
        mamba.MORE_SLOTS,
        mamba.FEWER,
        Remedy(
            text="`--disable-overlap-schedule`: one tracking slot instead of two.",
            flag="--disable-overlap-schedule",
            cost="slower steps",
        ),
        mamba.SMALLER,
    ),
    related=("mamba-slots-exhausted", "mamba-cache-cannot-alloc", "max-running-requests-mamba-cap"),
    reports=("sgl-project/sglang#19002",),
)
