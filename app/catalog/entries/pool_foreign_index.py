"""Strict checks: an index that is not this pool's, or not the caller's."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-foreign-index",
    id="8d6e73fec6b89d11",
    title="Index of another pool or owner",
    verdict="A caller named an index outside the pool, or one that belongs to someone else. "
    "Refused, nothing changed: look where that index was stored.",
    severity="error",
    exception="ValueError",
    message="{pool_name}: {index} is not an index of this pool",
    line="{pool_name:word}: {index} is not an index of this pool",
    pool="any",
    reach="developer",
    origin="poolscope",
    figures=(Figure("pool_name", "the pool"), Figure("index", "what was given")),
    meaning="A wrong index that is accepted frees or overwrites memory in use, and shows up much "
    "later, somewhere else. SGLang 0.5.23 does not test it in its request and logical host pools.",
    trigger="`checks=strict` and an index out of range, the padding row or page 0, or a unit in "
    "the wrong state for the call.",
    source=(
        Source(
            path="pools/errors.py",
            function="ForeignIndex",
            version="0.1.0",
            description="Raised by every pool before it changes anything.",
        ),
    ),
    remedies=(
        Remedy(text="Follow the index back to where it was stored; off by one page is usual."),
    ),
    related=("pool-double-free", "pool-memory-corrupted"),
)
