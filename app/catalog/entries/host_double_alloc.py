"""Host KV slots were handed out that somebody holds."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="host-double-alloc",
    id="20bacd0992c24fd2",
    title="Host KV handed out twice",
    verdict="The free list of host KV gave slots that are held already. Nothing ran out: it is a "
    "bug of the server. Upgrade or report it with the slots.",
    severity="critical",
    exception="AssertionError",
    message="Double-alloc detected: slots already allocated: "
    "{select_index[self.slot_used[select_index]].tolist()}.",
    line="Double-alloc detected: slots already allocated: {slots:text}.",
    pool="host_kv",
    reach="invariant",
    figures=(Figure("slots", "the slots that are held"),),
    meaning="A slot that was named twice in one free is on the list twice. The second time that it "
    "is handed out, its bit says that it is held.",
    trigger="A slot from the free list is handed out already. It is off the list by then, with all "
    "slots of that call.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache.alloc",
            line=556,
            description="Asserts the bits of what it took from the free list.",
        ),
    ),
    remedies=(Remedy(text="Upgrade, or report it with the slots. A restart clears it."),),
    here="Strict checks refuse the free that names a slot twice, so this cannot follow.",
    related=("host-double-free", "pool-double-free"),
)
