"""Strict checks: a size that cannot be meant."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-invalid-size",
    id="a7b204f2ceb41d7c",
    title="Impossible size",
    verdict="A caller asked for a negative or otherwise impossible amount. Refused, nothing "
    "changed: correct the caller's arithmetic.",
    severity="error",
    exception="ValueError",
    message="{pool_name}: {name} must be {rule}, got {value}",
    line="{pool_name:word}: {name:word} must be {rule:text}, got {value}",
    pool="any",
    reach="developer",
    origin="poolscope",
    figures=(
        Figure("pool_name", "the pool"),
        Figure("name", "the argument"),
        Figure("rule", "what it must be"),
        Figure("value", "what was given"),
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
    remedies=(Remedy(text="Correct the amount where it is computed, usually a subtraction."),),
    related=("pool-foreign-index", "logical-host-alloc-unaligned"),
)
