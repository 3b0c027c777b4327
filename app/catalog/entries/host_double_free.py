"""Host KV slots were given back that nobody holds."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="host-double-free",
    id="1e340fbcfeecf9d7",
    title="Host KV given back twice",
    verdict="Host KV slots were freed that are free already. Nothing ran out: it is a bug of the "
    "server. Upgrade or report it with the slots.",
    severity="critical",
    exception="AssertionError",
    message="Double-free detected: slots not currently allocated: "
    "{indices_cpu[~self.slot_used[indices_cpu]].tolist()}.",
    line="Double-free detected: slots not currently allocated: {slots:text}.",
    pool="host_kv",
    reach="invariant",
    figures=(Figure("slots", "the slots that are not held"),),
    meaning="Each slot has a bit that says whether it is handed out. A slot named twice within one "
    "call passes upstream, as the bits are read before any is changed.",
    trigger="A slot to be freed is not handed out.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache.free",
            line=570,
            description="Asserts the bits of all slots before it clears them.",
        ),
    ),
    remedies=(Remedy(text="Upgrade, or report it with the slots. A restart clears it."),),
    here="Strict checks refuse a slot named twice within one call as well.",
    related=("host-alloc-unaligned", "pool-double-free"),
)
