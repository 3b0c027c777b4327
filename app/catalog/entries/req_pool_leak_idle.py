"""While idle, rows of req_to_token are missing."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="req-pool-leak-idle",
    id="902ea4153a3c104e",
    title="Request slots leaked",
    verdict="Rows of `req_to_token` are missing while nothing runs: a release was forgotten in one "
    "code path. No size flag helps. Upgrade, or switch off the feature that loses them.",
    severity="critical",
    exception="ValueError",
    message="req_to_token_pool memory leak detected!"
    "available_size={len(self.req_to_token_pool.free_slots)}, session_held={session_req_count}, "
    "total_size={self.req_to_token_pool.size}\n",
    line="req_to_token_pool memory leak detected!"
    "available_size={available_size}, session_held={session_held}, total_size={total_size}\n",
    also=("req_to_token_pool memory leak detected!",),
    details=(
        r"available_size=(?P<available_size>-?\d{1,12})",
        r"session_held=(?P<session_held>-?\d{1,12})",
        r"total_size=(?P<total_size>-?\d{1,12})",
    ),
    pool="request_slots",
    reach="operator",
    figures=(
        Figure("available_size", "free rows", "rows"),
        Figure("session_held", "rows that open sessions hold", "rows"),
        Figure("total_size", "rows, without those for PD requests in transfer", "rows"),
    ),
    meaning="An idle server must have every row free, or held by a session. Each lost row takes "
    "one request off the server's real concurrency, until a batch finds too few.",
    trigger="While idle, free rows and session rows do not add up to all rows.",
    source=(
        Source(
            path="python/sglang/srt/managers/scheduler_components/invariant_checker.py",
            function="SchedulerInvariantChecker._check_req_pool",
            line=439,
            description="Adds up rows while idle. The rows it prints leave out those for PD "
            "transfers, which the comparison counts: on PD decode they do not add up by eye.",
        ),
    ),
    flags=(known("SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE", "none"),),
    remedies=(
        Remedy(text="Upgrade; report it with the numbers and the features that are on."),
        Remedy(
            text="Set `SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE=false` to stay up, and plan a "
            "restart.",
            flag="SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE",
            cost="concurrency shrinks with each lost row",
        ),
    ),
    related=("alloc-req-slots-exhausted", "pool-integrity-broken"),
)
