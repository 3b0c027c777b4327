"""Paged prefill: too few free pages after eviction."""

from app.catalog import kv_oom
from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="kv-prefill-oom",
    id="adfa549462f59bc7",
    title="KV pages ran out in prefill",
    verdict="A prefill batch was admitted that the pool cannot hold. Free tokens above the demand "
    "mean page rounding or an admission fault: upgrade. If the pool is full, raise "
    "`--mem-fraction-static`.",
    severity="critical",
    exception="RuntimeError",
    message="Prefill out of memory. Try to lower your batch size.\n"
    "Try to allocate {extend_num_tokens} tokens.\n"
    "{available_and_evictable_str(tree_cache)}",
    line="Prefill out of memory. Try to lower your batch size.\n"
    "Try to allocate {need_tokens} tokens.\n"
    "{tail:text}",
    details=kv_oom.DETAILS,
    pool="kv_pages",
    reach="operator",
    figures=kv_oom.FIGURES,
    meaning=kv_oom.MEANING,
    trigger="Paged pool: extending the batch gives None. Eviction was asked for its tokens and one "
    "page per request; the allocator compares whole pages.",
    source=(
        Source(
            path=kv_oom.PATH,
            function="alloc_paged_token_slots_extend",
            line=246,
            description="Evicts tokens plus a page per request, extends, and on None logs the "
            "state of the tree and raises. Unlike decode, nothing is retracted to make room.",
        ),
    ),
    flags=(
        *kv_oom.flags(),
        known("--chunked-prefill-size", "lower"),
        known("--page-size", "lower"),
        known("--swa-full-tokens-ratio", "none"),
    ),
    situations=(
        "With speculation, a shortage while decoding prints this line: verify allocates through "
        "the prefill path (sgl-project/sglang#13741).",
        "Every cached prefix is locked by a running request when the next chunk comes.",
        "With a sliding window or state slots the side pool may be the short one: the tail lists "
        "each.",
    ),
    remedies=(
        kv_oom.READ_THE_TAIL,
        kv_oom.UPGRADE,
        kv_oom.ENLARGE,
        kv_oom.SMALLER_PAGE,
        kv_oom.FEWER_RUNNING,
        kv_oom.conservative(
            "refuted",
            "It keeps back more for requests that run already. Here a batch is let in that the "
            "pool cannot hold, whatever is kept back.",
        ),
        Remedy(
            key="smaller-chunk",
            text="Lower `--chunked-prefill-size`.",
            status="refuted",
            direction="lower",
            flag="--chunked-prefill-size",
            proof="A smaller step asks for less at once, but the next step asks for the rest: a "
            "check that counts tokens lets in too many either way.",
        ),
    ),
    proven=True,
    related=("kv-token-alloc-oom", "kv-decode-oom", "retract-kv-pool-full"),
    reports=(
        "sgl-project/sglang#5081",
        "sgl-project/sglang#13741",
        "sgl-project/sglang#26265",
        "sgl-project/sglang#34676",
    ),
)
