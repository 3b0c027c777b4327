"""Memory read back differs from what was written."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-memory-corrupted",
    id="a8f56344d9aa8c1d",
    title="Memory was overwritten by someone else",
    verdict="A request's KV holds marks of another: a wrong index reached the buffer, so two "
    "owners wrote to one place. Stop and keep the state; a restart only hides it.",
    severity="critical",
    exception="PoolError",
    message="{pool_name}: token {token} holds {found}, expected {expected}",
    line="{pool_name:word}: token {token} holds {found:text}, expected {expected:text}",
    pool="any",
    reach="invariant",
    origin="poolscope",
    figures=(
        Figure("pool_name", "the pool"),
        Figure("token", "the first token that differs"),
        Figure("found", "row, generation and position read back"),
        Figure("expected", "row, generation and position written"),
    ),
    meaning="Prefill and decode write row, generation and position of each token into the buffer; "
    "they are compared when the token is freed, backed up or loaded back. The books may balance "
    "while the memory is wrong: this finds what arithmetic cannot.",
    trigger="The mark read back is not the one this owner wrote.",
    source=(
        Source(
            path="pools/errors.py",
            function="MemoryCorrupted",
            version="0.1.0",
            description="Raised by the check of a KV pool, before the tokens are freed.",
        ),
    ),
    remedies=(
        Remedy(text="Keep the state, look at both owners of the token, and report it."),
        Remedy(
            text="Start with `--no-memory-check`.",
            status="refuted",
            proof="The memory is as wrong as before; only the test is gone.",
        ),
    ),
    related=("pool-integrity-broken", "pool-foreign-index", "pool-double-free"),
)
