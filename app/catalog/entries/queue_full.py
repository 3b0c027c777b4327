"""The waiting queue is at its limit."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="queue-full",
    id="f50d64b1bcfae530",
    title="The request queue is full",
    verdict="More requests wait than `--max-queued-requests` allows, so this one was turned away "
    "with 503. Retry with back-off; find what binds behind the queue before raising the limit.",
    severity="error",
    exception="abort (HTTP 503)",
    message="The request queue is full.",
    pool="scheduler",
    reach="operator",
    meaning="The limit protects the server from a queue that only grows. Rows, KV tokens or "
    "compute bind behind it.",
    trigger="Waiting requests + 1 exceed `--max-queued-requests`.",
    source=(
        Source(
            path="python/sglang/srt/managers/scheduler.py",
            function="Scheduler._abort_on_queued_limit",
            line=3562,
            description="Refuses the newcomer, or with priority scheduling the waiting request "
            "of least priority.",
        ),
    ),
    flags=(known("--max-queued-requests", "raise"),),
    remedies=(
        Remedy(
            key="back-off",
            text="Retry with back-off, or send to another replica.",
            status="avoids",
        ),
        Remedy(
            key="raise-max-queued",
            status="proved",
            text="Raise `--max-queued-requests`.",
            direction="raise",
            flag="--max-queued-requests",
            cost="longer waits; under lasting overload the queue only fills later",
        ),
    ),
    proven=True,
    related=("retract-kv-pool-full", "alloc-req-slots-exhausted", "input-exceeds-max-length"),
)
