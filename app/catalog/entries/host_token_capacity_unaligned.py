"""A host KV pool of no whole pages."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="host-token-capacity-unaligned",
    id="f7677e42e1c97a94",
    title="Host KV size in part of a page",
    verdict="The host pool was to be built with a number of tokens that is no whole number of "
    "pages, or none. Give it at least one page.",
    severity="critical",
    exception="ValueError",
    message="Host token capacity must be positive and page-aligned, got {host_token_capacity} for "
    "page_size={self.page_size}",
    line="Host token capacity must be positive and page-aligned, got {size} for "
    "page_size={page_size}",
    pool="host_kv",
    phase="startup",
    reach="operator",
    figures=(
        Figure("size", "tokens asked for", "tokens"),
        Figure("page_size", "tokens per page", "tokens"),
    ),
    meaning="Host KV is handed out in pages. A size derived from `--hicache-ratio` or "
    "`--hicache-size` is rounded; one that is given outright is not.",
    trigger="The size given is zero, negative or no multiple of the page.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache.__init__",
            line=214,
            description="Checks a capacity that is given outright.",
        ),
    ),
    flags=(known("--page-size", "none"),),
    remedies=(Remedy(text="Give a multiple of the page, at least one."),),
    related=("logical-host-size-unaligned", "host-alloc-unaligned"),
)
