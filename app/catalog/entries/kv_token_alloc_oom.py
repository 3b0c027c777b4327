"""Page size 1: too few free tokens after eviction."""

from app.catalog import kv_oom
from app.catalog.entry import ErrorEntry, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="kv-token-alloc-oom",
    id="08b9fa21b7f395ba",
    title="KV tokens ran out (page size 1)",
    verdict="The token pool could not give the tokens an admitted batch needs. Compare need with "
    "free in the tail: if the pool is full, raise `--mem-fraction-static` or admit less.",
    severity="critical",
    exception="RuntimeError",
    message="Out of memory. Try to lower your batch size.\n"
    "Try to allocate {num_tokens} tokens.\n"
    "{available_and_evictable_str(tree_cache)}",
    line="Out of memory. Try to lower your batch size.\n"
    "Try to allocate {need_tokens} tokens.\n"
    "{tail:text}",
    details=kv_oom.DETAILS,
    pool="kv_tokens",
    reach="operator",
    figures=kv_oom.FIGURES,
    meaning=kv_oom.MEANING,
    trigger="Page size 1: the allocator answers None to a request for `need_tokens`, after the "
    "prefix cache was asked to evict as many.",
    source=(
        Source(
            path=kv_oom.PATH,
            function="alloc_token_slots",
            line=170,
            description="Evicts, allocates, and on None logs the state of the tree and raises.",
        ),
    ),
    flags=(*kv_oom.flags(), known("--chunked-prefill-size", "lower")),
    situations=("With speculation at page size 1, a shortage while decoding prints this line.",),
    remedies=(
        kv_oom.READ_THE_TAIL,
        kv_oom.UPGRADE,
        kv_oom.ENLARGE,
        kv_oom.FEWER_RUNNING,
        kv_oom.conservative(
            "refuted",
            "It keeps back more for requests that run already. Here a batch is let in that the "
            "pool cannot hold, whatever is kept back.",
        ),
    ),
    proven=True,
    related=(
        "kv-prefill-oom",
        "kv-decode-oom",
        "retract-kv-pool-full",
        "alloc-req-slots-exhausted",
    ),
    reports=("sgl-project/sglang#34676",),
)
