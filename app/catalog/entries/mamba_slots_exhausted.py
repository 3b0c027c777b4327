"""A request of an admitted batch gets no state slot."""

from app.catalog import mamba
from app.catalog.entry import ErrorEntry, Figure, Source

_BEGIN = (
    "Not enough space for mamba cache, try to increase --mamba-full-memory-ratio or "
    "--max-mamba-cache-size."
)

ENTRY = ErrorEntry(
    code="mamba-slots-exhausted",
    id="75ee53151bc59098",
    title="State slots ran out",
    verdict="A hybrid model's state pool is empty after eviction. Token memory is not short: raise "
    "`--max-mamba-cache-size` or `--mamba-full-memory-ratio`, or lower `--max-running-requests`.",
    severity="critical",
    exception="AssertionError",
    message=_BEGIN + " mid={mid}, self.mamba_pool.size={self.mamba_pool.size}, "
    "self.mamba_allocator.available_size()={self.mamba_allocator.available_size()}, "
    "len(reqs)={len(reqs)}",
    line=_BEGIN + " mid={mid:word}, self.mamba_pool.size={slots}, "
    "self.mamba_allocator.available_size()={available_slots}, len(reqs)={reqs}",
    also=(
        _BEGIN,
        "Not enough space for mamba cache, try to increase --max-mamba-cache-size.",
    ),
    pool="mamba_states",
    reach="operator",
    figures=(
        Figure("mid", "what the allocator answered"),
        Figure("slots", "capacity", "slots"),
        Figure("available_slots", "free", "slots"),
        Figure("reqs", "requests in the batch", "requests"),
    ),
    meaning=mamba.MEANING,
    trigger="A request in the admitted batch gets no state slot, even after eviction.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool.py",
            function="HybridReqToTokenPool.alloc",
            line=1598,
            description="Takes a row, then a state slot; without a slot it stops, and the row is "
            "already taken.",
        ),
    ),
    flags=mamba.flags(),
    remedies=(mamba.MORE_SLOTS, mamba.FEWER, mamba.SMALLER),
    related=(
        "mamba-ping-pong-exhausted",
        "mamba-cache-cannot-alloc",
        "max-running-requests-mamba-cap",
        "alloc-req-slots-exhausted",
    ),
)
