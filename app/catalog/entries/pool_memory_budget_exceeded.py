"""A pool's real buffer would exceed the memory budget."""

from app.catalog.entry import ErrorEntry, Figure, Flag, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-memory-budget-exceeded",
    id="8bcc0778f8b291af",
    title="Real buffer above the memory budget",
    verdict="Poolscope would have to allocate more real memory than `--memory-budget` allows. "
    "Lower the pool that the message names, or raise the budget.",
    severity="critical",
    exception="ValueError",
    message="{pool_name}: needs {need_bytes} bytes, --memory-budget leaves {budget_bytes}",
    line="{pool_name:word}: needs {need_bytes} bytes, --memory-budget leaves {budget_bytes}",
    pool="any",
    phase="startup",
    reach="operator",
    origin="poolscope",
    figures=(
        Figure("pool_name", "the pool"),
        Figure("need_bytes", "bytes it would allocate", "bytes"),
        Figure("budget_bytes", "bytes that are left", "bytes"),
    ),
    meaning="Poolscope runs beside other work, so it allocates no more than it was told: 2 GiB by "
    "default, on CUDA at most 5 % of the free memory. Book-keeping is always full size; the "
    "buffers behind it are scaled.",
    trigger="The sum of the real buffers would pass the budget while the pools are built.",
    source=(
        Source(
            path="pools/errors.py",
            function="MemoryBudgetExceeded",
            version="0.1.0",
            description="Raised before the buffer is allocated.",
        ),
    ),
    flags=(
        Flag("--memory-budget", "raise", "Most bytes of real memory for all pools."),
        Flag("--max-total-tokens", "lower", "Tokens of the KV pool, 64 bytes each here."),
    ),
    remedies=(
        Remedy(
            text="Raise `--memory-budget`.",
            direction="raise",
            flag="--memory-budget",
            cost="that much memory of this machine",
        ),
        Remedy(
            text="Lower the size of the pool, for example `--max-total-tokens`.",
            direction="lower",
            flag="--max-total-tokens",
        ),
    ),
    related=("pool-invalid-size",),
)
