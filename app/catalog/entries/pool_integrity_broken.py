"""A pool's independent books disagree."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-integrity-broken",
    id="f5fbcfd9de469e4f",
    title="A pool's books disagree",
    verdict="Free list, states, owners and tree of a pool do not agree: a bug in Poolscope, never "
    "the load. Keep the state and report it.",
    severity="critical",
    exception="PoolError",
    message="{pool_name}: books disagree: {finding}",
    line="{pool_name:word}: books disagree: {finding:text}",
    pool="any",
    reach="invariant",
    origin="poolscope",
    figures=(Figure("pool_name", "the pool"), Figure("finding", "which books differ, by how much")),
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
    remedies=(Remedy(text="Report it with seed, flags and the step; the same seed repeats it."),),
    related=("pool-memory-corrupted", "pool-double-free", "req-pool-leak-idle"),
)
