"""A pool's independent books disagree."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-integrity-broken",
    id="3f425242dedec48f",
    title="A pool's books disagree",
    verdict="Free list, states, owners and tree of a pool do not agree: a bug in Poolscope, never "
    "the load. Keep the state and report it.",
    severity="critical",
    exception="PoolError",
    message="{name}: {states} units by state, {book} by the other book",
    line="{name:word}: {states} units by state, {book} by the other book",
    also=(
        "by state {available} available and {held} held, by the books",
        "the free list holds a unit twice",
        "the free stack holds a row twice",
        "the host free list holds a slot twice",
        "owner per unit and sums over owners differ",
        "is not available by state",
        "free by bit and by list differ",
        "{name:phrase}: kept {kept}, counted {counted}",
        "free ranges overlap",
        "two extents share byte {byte}",
        "was unlocked more often than locked",
        "holds a lease of another slot or generation",
    ),
    pool="any",
    reach="invariant",
    origin="poolscope",
    figures=(
        Figure("name", "what was counted"),
        Figure("states", "count by state of the cells", "units"),
        Figure("book", "count by another book", "units"),
    ),
    meaning="Each pool is counted several ways that do not know of one another. After every event "
    "the sums are compared, and every 1,000 events each cell. A difference means that a unit is "
    "lost, or owned twice.",
    trigger="available + evictable + protected + held + retired + leaked is not the capacity, or "
    "an audit finds a cell in two books.",
    source=(
        Source(
            path="pools/errors.py",
            function="IntegrityError",
            version="0.1.0",
            description="Raised by the audit of a pool; it names the books that differ.",
        ),
    ),
    remedies=(
        Remedy(
            key="mend-the-caller",
            text="Mend the path that loses or doubles the unit.",
            status="proved",
        ),
        Remedy(
            text="Report it with seed, flags and the step; the same seed repeats it.",
            reason="a report changes nothing by itself",
        ),
    ),
    proven=True,
    related=("pool-memory-corrupted", "pool-double-free", "req-pool-leak-idle"),
)
