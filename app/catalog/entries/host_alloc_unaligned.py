"""A request for host KV was no multiple of the page."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="host-alloc-unaligned",
    id="47887a581674f287",
    title="Host KV asked for in part of a page",
    verdict="Host KV was asked for in a number of tokens that is no multiple of the page. Round up "
    "in the caller, and take the same number on the device side.",
    severity="error",
    exception="AssertionError",
    message="The requested size should be a multiple of the page size.",
    pool="host_kv",
    reach="developer",
    meaning="The host pool hands out whole pages. Under decode context parallelism a page is "
    "`page_size` x `dcp_size` tokens wide.",
    trigger="The size asked for is no multiple of the page. The prefix tree keeps whole pages, so "
    "only a caller of its own gets here.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache.alloc",
            line=544,
            description="Asserts the multiple before it looks at what is free.",
        ),
    ),
    flags=(known("--page-size", "none"),),
    remedies=(Remedy(text="Round the token range up first, then use it on both sides."),),
    related=("logical-host-alloc-unaligned", "host-transfer-size-mismatch"),
)
