"""While busy, the parts of the sliding-window pool do not add up."""

from app.catalog import pool_leak
from app.catalog.entry import ErrorEntry, Figure
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="swa-pool-leak-busy",
    id="fe6f60cae9149773",
    title="The sliding-window pool does not add up while busy",
    verdict="The strict check of a running step found that the parts of the "
    "sliding-window pool do not sum to its total. Above zero, units are lost; below zero, they "
    "are owned twice. Upgrade, or switch off the feature at fault.",
    severity="critical",
    exception="AssertionError",
    message="SWA Pool Mem Leak Detected! {swa_msg}",
    line="SWA Pool Mem Leak Detected! {swa_msg:text}",
    also=("SWA Pool Mem Leak Detected!",),
    details=pool_leak.DETAILS[:1],
    pool="kv_pages",
    reach="operator",
    figures=(Figure("swa_msg", "the parts, as printed"), *pool_leak.FIGURES),
    meaning=pool_leak.MEANING,
    trigger="`SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY` is on, and after a step the parts of "
    "the sliding-window pool, running requests included, differ from its total.",
    source=(
        pool_leak.raised_in(
            "SchedulerInvariantChecker.self_check_during_busy",
            345,
            "Compares parts and total after a step and stops with the numbers.",
        ),
    ),
    flags=(known("SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY", "none"),),
    situations=(
        "The parts sum to one page of 256 tokens above the total, under speculation "
        "(sgl-project/sglang#27789).",
    ),
    remedies=pool_leak.REMEDIES,
    related=("pool-leak-idle", "full-pool-leak-busy", "pool-integrity-broken"),
    reports=("sgl-project/sglang#27789",),
)
