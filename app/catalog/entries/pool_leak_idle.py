"""While idle, the parts of a KV pool do not add up."""

from app.catalog import pool_leak
from app.catalog.entry import ErrorEntry, Figure, Remedy
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="pool-leak-idle",
    id="6baffba536ed3c46",
    title="KV pool does not add up while idle",
    verdict="While nothing runs, the parts of a pool do not sum to its total. Above zero, units "
    "are lost; below zero, they are owned twice. No size flag helps: upgrade, or switch off the "
    "feature that loses them.",
    severity="critical",
    exception="ValueError",
    message="{pool_name} memory leak detected! [{pool}] total={total}, available={available}, "
    "evictable={evictable}, protected={protected}, session_held={session_held}, "
    "uncached={uncached}",
    line="{pool_name:word} memory leak detected! " + pool_leak.PARTS,
    also=(
        "token_to_kv_pool_allocator memory leak detected!",
        " memory leak detected! [",
    ),
    details=pool_leak.DETAILS,
    pool="kv_pages",
    reach="operator",
    figures=(
        Figure("pool_name", "`pool`, or `pool-bytes` for unified memory"),
        *pool_leak.FIGURES,
    ),
    meaning=pool_leak.MEANING,
    trigger="Idle, and available + evictable + protected + session_held + uncached differs from "
    "total for the full, the window or the state pool.",
    source=(
        pool_leak.raised_in(
            "SchedulerInvariantChecker._report_leak",
            453,
            "Prints the parts of each pool, then raises, or warns when strict checking is off.",
        ),
    ),
    flags=(
        known("SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE", "none"),
        known("SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY", "none"),
    ),
    situations=(
        "59 tokens lost after a burst of 256 requests, in one release (sgl-project/sglang#11970).",
        "The message names the token pool, which adds up; one state slot of 454 is missing "
        "(sgl-project/sglang#16067).",
        "One window page of 256 tokens is missing after a long chunked prefill "
        "(sgl-project/sglang#36081).",
        "`protected` is -12: two features release the same lock (sgl-project/sglang#27666).",
        "A waiting request owns a copied state slot: one slot seems lost and is not "
        "(sgl-project/sglang#20185).",
    ),
    remedies=(
        *pool_leak.REMEDIES,
        Remedy(
            text="Set `SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE=false` to stay up, and plan a "
            "restart.",
            flag="SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE",
            cost="the pool shrinks with each loss",
            not_when="the residual is negative: two owners share memory, and answers may be wrong",
        ),
        Remedy(
            text="Find the step where it begins: `SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY=1`.",
            flag="SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY",
            cost="a check per step",
        ),
    ),
    related=(
        "req-pool-leak-idle",
        "swa-pool-leak-busy",
        "full-pool-leak-busy",
        "pool-integrity-broken",
    ),
    reports=(
        "sgl-project/sglang#11970",
        "sgl-project/sglang#7130",
        "sgl-project/sglang#16067",
        "sgl-project/sglang#20185",
        "sgl-project/sglang#27666",
        "sgl-project/sglang#36081",
        "bytedance-iaas/sglang#748",
        "sgl-project/sglang-jax#1147",
    ),
)
