"""Strict checks: something freed that is free already."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-double-free",
    id="843308da0d9e9152",
    title="Freed twice",
    verdict="A caller gave back something that is free already, or named it twice in one call. "
    "Refused, nothing changed: find the second release of the unit that the message names.",
    severity="error",
    exception="ValueError",
    message="{unit} {index} is free already",
    line="{unit:word} {index} is free already",
    also=(
        "named twice in one free",
        "named twice in one takeover",
    ),
    pool="any",
    reach="developer",
    origin="poolscope",
    figures=(
        Figure("unit", "row, page, token or slot"),
        Figure("index", "the first one that is free already"),
    ),
    meaning="Two releases of one unit would put it in the free list twice, and two owners would "
    "then be given the same memory. SGLang 0.5.23 accepts this in its request and logical host "
    "pools: executed, a pool of 256 then shows 384 free and hands out pages twice.",
    trigger="`checks=strict` and a free that names a unit which is not held.",
    source=(
        Source(
            path="pools/errors.py",
            function="DoubleFree",
            version="0.1.0",
            description="Raised by every pool before it changes anything.",
        ),
    ),
    remedies=(
        Remedy(
            key="mend-the-caller",
            status="proved",
            text="Find the path that releases a second time: abort after finish is the usual one.",
        ),
        Remedy(
            key="upstream-checks",
            text="Switch to `checks=upstream`.",
            status="refuted",
            proof="The free is then accepted and the unit has two owners; the page shows a leak "
            "of minus one.",
        ),
    ),
    proven=True,
    related=("pool-foreign-index", "pool-integrity-broken", "logical-host-free-unaligned"),
)
