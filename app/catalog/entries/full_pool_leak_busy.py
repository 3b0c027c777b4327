"""While busy, the parts of the full pool do not add up."""

from app.catalog import pool_leak
from app.catalog.entry import ErrorEntry, Figure
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="full-pool-leak-busy",
    id="1358d98063222bd3",
    title="The full pool does not add up while busy",
    verdict="The strict check of a running step found that the parts of the full pool do not "
    "sum to its total. Above zero, units are lost; below zero, they are owned twice. Upgrade, or "
    "switch off the feature at fault.",
    severity="critical",
    exception="AssertionError",
    message="Full Pool Mem Leak Detected! {full_msg}",
    line="Full Pool Mem Leak Detected! {full_msg:text}",
    also=("Full Pool Mem Leak Detected!",),
    details=pool_leak.DETAILS[:1],
    pool="kv_pages",
    reach="operator",
    figures=(Figure("full_msg", "the parts, as printed"), *pool_leak.FIGURES),
    meaning=pool_leak.MEANING,
    trigger="`SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY` is on, and after a step the parts of "
    "the full pool, running requests included, differ from its total.",
    source=(
        pool_leak.raised_in(
            "SchedulerInvariantChecker.self_check_during_busy",
            344,
            "Compares parts and total after a step and stops with the numbers.",
        ),
    ),
    flags=(known("SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY", "none"),),
    remedies=pool_leak.REMEDIES,
    related=("pool-leak-idle", "swa-pool-leak-busy", "pool-integrity-broken"),
)
