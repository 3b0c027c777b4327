"""Strict checks: an index that is not this pool's, or not the caller's."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-foreign-index",
    id="4726db40d63e5724",
    title="Index of another pool or owner",
    verdict="A caller named an index outside the pool, or one that belongs to someone else. "
    "Refused, nothing changed: look where that index was stored.",
    severity="error",
    exception="ValueError",
    message="{unit} {index} is no unit of this pool",
    line="{unit:word} {index} is no unit of this pool",
    also=(
        "{unit:word} {index} is not in {first}..{last}",
        "{unit:word} {index} is not held",
        "of {tokens} tokens is no node of this tree any more",
        "a match of {tokens} host tokens is no part of this tree any more",
        "{unit:word} {index} is locked in the prefix tree",
        "has slots 0 .. {last}, got {index}",
        "has consumers 0 .. {last}, got {index}",
    ),
    pool="any",
    reach="developer",
    origin="poolscope",
    figures=(
        Figure("unit", "row, page, token or slot"),
        Figure("index", "what was given"),
    ),
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
        Remedy(
            key="mend-the-caller",
            status="proved",
            text="Follow the index back to where it was stored; off by one page is usual.",
        ),
    ),
    proven=True,
    related=("pool-double-free", "pool-memory-corrupted"),
)
