"""Part of a page was given back to the logical host pool."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="logical-host-free-unaligned",
    id="5dec558029b6f9eb",
    title="Host slots freed in part of a page",
    verdict="An internal caller gave back a number of host slots that is no multiple of the page. "
    "Nothing ran out and no flag fixes it: free whole pages.",
    severity="error",
    exception="ValueError",
    message="LogicalHostPool free must be page-aligned, got len(indices)={len(indices)}, "
    "page_size={self.page_size}",
    line="LogicalHostPool free must be page-aligned, got len(indices)={num_indices}, "
    "page_size={page_size}",
    pool="host_logical",
    reach="developer",
    figures=(
        Figure("num_indices", "slots given back", "slots"),
        Figure("page_size", "slots per page of this pool", "slots"),
    ),
    meaning="Half a page given back could be handed out while the other half is in use.",
    trigger="`len(indices) % page_size` is not 0 in a call of free.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool_host.py",
            function="LogicalHostPool.free",
            line=168,
            description="Tests the length only. There is no record of who holds what: whole pages "
            "freed twice pass, and the pool then has more free slots than slots.",
        ),
    ),
    flags=(known("--page-size", "none"),),
    remedies=(
        Remedy(
            key="free-whole-pages",
            text="Free whole pages; as an operator, upgrade or report it.",
            status="proved",
        ),
        Remedy(
            key="another-page-size",
            text="Set another `--page-size`.",
            status="refuted",
            flag="--page-size",
            proof="The number given back follows the request, not the flag.",
        ),
    ),
    here="Poolscope's pool also refuses pages freed twice: see `pool-double-free`.",
    proven=True,
    related=("logical-host-alloc-unaligned", "logical-host-size-unaligned", "pool-double-free"),
)
