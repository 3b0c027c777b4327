"""Strict checks: a size that cannot be meant."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-invalid-size",
    id="2d9f0a030440c81b",
    title="Impossible size",
    verdict="A caller asked for a negative or otherwise impossible amount. Refused, nothing "
    "changed: correct the caller's arithmetic.",
    severity="error",
    exception="ValueError",
    message="{name} {size} is negative",
    line="{name:word} {size} is negative",
    also=(
        "need_size {size} is no multiple of page_size {page_size}",
        "size {size} must be a positive multiple of page_size {page_size}",
        "seq_lens must not be below prefix_lens",
        "seq_lens must count the new token: request {index} of the batch has {size}",
        "steps {size} is not 1 or more",
        "a batch takes one of each per request: ",
        "{name:word} {size} does not fit into int32",
        "{size} indices are too few for a key of {tokens} tokens",
        "{size} rows of {max_context_len} columns",
        "a lease needs at least 1 byte, got nbytes={size}",
        "a generation is 0 .. {limit}, got {size}",
        "slot {slot} is not free; its generation names a lease",
        "generation_limit must be from 1 to {limit}, as control words carry",
        "eviction policy {policy:word}: use ",
    ),
    pool="any",
    reach="developer",
    origin="poolscope",
    figures=(
        Figure("name", "the argument"),
        Figure("size", "what was given"),
    ),
    meaning="A negative amount slips through tests of the form `need > available`. Executed with "
    "SGLang 0.5.23: asking its logical host pool for -64 hands out 192 slots.",
    trigger="`checks=strict` and an amount that is negative or, where the pool has pages, no whole "
    "number of them.",
    source=(
        Source(
            path="pools/errors.py",
            function="InvalidSize",
            version="0.1.0",
            description="Raised by every pool before it changes anything.",
        ),
    ),
    remedies=(
        Remedy(
            key="mend-the-caller",
            text="Correct the amount where it is computed, usually a subtraction.",
            status="proved",
        ),
    ),
    proven=True,
    related=("pool-foreign-index", "logical-host-alloc-unaligned"),
)
