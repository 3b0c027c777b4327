"""Paged decode: too few free pages after eviction, although the retract check passed."""

from app.catalog import kv_oom
from app.catalog.entry import ErrorEntry, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="kv-decode-oom",
    id="37eaf9d51d0ed7aa",
    title="KV pages ran out in decode",
    verdict="Running requests needed more pages than the pool had, and nothing was retracted in "
    "time. In old builds the check counted tokens while pages are handed out: upgrade first, "
    "then lower `--max-running-requests` or raise the pool.",
    severity="critical",
    exception="RuntimeError",
    message="Decode out of memory. Try to lower your batch size.\n"
    "Try to allocate {len(seq_lens) * token_per_req} tokens.\n"
    "{available_and_evictable_str(tree_cache)}",
    line="Decode out of memory. Try to lower your batch size.\n"
    "Try to allocate {need_tokens} tokens.\n"
    "{tail:text}",
    details=kv_oom.DETAILS,
    pool="kv_pages",
    reach="operator",
    figures=kv_oom.FIGURES,
    meaning=kv_oom.MEANING,
    trigger="Paged pool: a decode step gives None after a page per request was evicted. The "
    "retract loop checks capacity first, so this marks a gap between check and allocator.",
    source=(
        Source(
            path=kv_oom.PATH,
            function="alloc_paged_token_slots_decode",
            line=620,
            description="Evicts a page per request, takes a page for each one at a page boundary, "
            "and on None logs the state of the tree and raises.",
        ),
    ),
    flags=(*kv_oom.flags(), known("--page-size", "lower")),
    situations=(
        "148 requests at page boundaries, 2,048 free tokens, page 64: 32 pages for up to 148 "
        "requests (sgl-project/sglang#4602).",
    ),
    remedies=(
        kv_oom.READ_THE_TAIL,
        kv_oom.UPGRADE,
        kv_oom.ENLARGE,
        kv_oom.SMALLER_PAGE,
        kv_oom.FEWER_RUNNING,
        kv_oom.conservative("avoids", ""),
    ),
    proven=True,
    related=(
        "kv-prefill-oom",
        "kv-token-alloc-oom",
        "retract-kv-pool-full",
        "retract-last-request-aborted",
    ),
    reports=("sgl-project/sglang#4602",),
)
