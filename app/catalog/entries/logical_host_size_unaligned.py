"""A logical host pool was built with part of a page."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="logical-host-size-unaligned",
    id="e0245ec1531faab8",
    title="Host pool size is no multiple of the page",
    verdict="The host pool was built with a size that is no multiple of its page. Build it with "
    "whole pages; the server's own builder does.",
    severity="critical",
    exception="ValueError",
    message="LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}",
    pool="host_logical",
    phase="startup",
    reach="developer",
    figures=(
        Figure("size", "slots asked for", "slots"),
        Figure("page_size", "slots per page", "slots"),
    ),
    meaning="The last page would be in part outside the pool.",
    trigger="`size % page_size` is not 0 when the pool is built.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool_host.py",
            function="LogicalHostPool.__init__",
            line=100,
            description="Refuses the size before anything is built.",
        ),
    ),
    flags=(known("--page-size", "none"),),
    remedies=(Remedy(key="whole-pages", text="Pass pages x page size.", status="proved"),),
    proven=True,
    related=("logical-host-alloc-unaligned", "logical-host-free-unaligned"),
)
