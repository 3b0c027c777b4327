"""A pool's real buffer would exceed the memory budget."""

from app.catalog.entry import ErrorEntry, Figure, Flag, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-memory-budget-exceeded",
    id="ddb3b5dea31c8a24",
    title="Real buffer above the memory budget",
    verdict="Poolscope would have to allocate more real memory than `--memory-budget` allows. "
    "Lower the pool that the message names, or raise the budget.",
    severity="critical",
    exception="FlagError",
    message="--memory-budget {budget}: the pools need {need} ({parts})",
    line="--memory-budget {budget:size}: the pools need {need:size} ({parts:text})",
    pool="any",
    phase="startup",
    reach="operator",
    origin="poolscope",
    figures=(
        Figure("budget", "real memory that is allowed"),
        Figure("need", "real memory that the pools would take"),
        Figure("parts", "the same by buffer"),
    ),
    meaning="Poolscope runs beside other work, so it allocates no more than it was told: 2 GiB by "
    "default, on CUDA at most 5 % of the free memory. Book-keeping is always full size; the "
    "buffers behind it are scaled.",
    trigger="The sum of the real buffers would pass the budget while the pools are built.",
    source=(
        Source(
            path="app/sizing/refusals.py",
            function="check_budget",
            version="0.1.0",
            description="Adds up the real buffers of a plan before anything is allocated.",
        ),
    ),
    flags=(
        Flag("--memory-budget", "raise", "Most bytes of real memory for all pools."),
        Flag("--max-total-tokens", "lower", "Tokens of the KV pool, 64 bytes each here."),
    ),
    remedies=(
        Remedy(
            key="raise-budget",
            status="proved",
            text="Raise `--memory-budget`.",
            direction="raise",
            flag="--memory-budget",
            cost="that much memory of this machine",
        ),
        Remedy(
            key="smaller-pool",
            status="proved",
            text="Lower the size of the pool, for example `--max-total-tokens`.",
            direction="lower",
            flag="--max-total-tokens",
        ),
    ),
    proven=True,
    related=("pool-invalid-size",),
)
