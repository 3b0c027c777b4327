"""One request alone no longer fits the KV pool."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="retract-last-request-aborted",
    id="0e890faf0aded287",
    title="The last running request was aborted",
    verdict="A single request outgrew the whole KV pool. Lower its length limit, or raise the "
    "pool; if the pool is far larger than the request, look for a leak.",
    severity="error",
    exception="FINISH_ABORT",
    message="Out of memory even after retracting all other requests in the decode batch. "
    "Aborting the last request.",
    pool="kv_pages",
    reach="operator",
    meaning="Retraction pushed back every other request, and the next token of the one that is "
    "left still does not fit. The client gets a 500; the server goes on.",
    trigger="One request is left in the decode batch and its next page cannot be had.",
    source=(
        Source(
            path="python/sglang/srt/managers/schedule_batch.py",
            function="ScheduleBatch.retract_decode",
            line=3515,
            description="Ends the last request with an abort instead of letting the scheduler "
            "fail, frees what it held, and logs its id.",
        ),
    ),
    flags=(
        known("--context-length", "lower", "A shorter limit keeps one request within the pool."),
        known("--mem-fraction-static", "raise"),
        known("--max-total-tokens", "raise"),
    ),
    remedies=(
        Remedy(
            key="end-the-holder",
            text="Find what else holds the pool: idle sessions that keep their KV, or a leak.",
            status="proved",
        ),
        Remedy(
            key="bound-the-request",
            status="avoids",
            text="Bound one request to the pool: lower `--context-length` or `max_new_tokens`.",
            direction="lower",
            flag="--context-length",
            cost="long requests are cut or refused",
        ),
        Remedy(
            key="enlarge",
            status="proved",
            text="Enlarge the pool.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
        ),
    ),
    proven=True,
    related=("retract-kv-pool-full", "kv-decode-oom", "input-exceeds-max-length"),
)
