"""Memory read back differs from what was written."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pool-memory-corrupted",
    id="c712ef3b3ed24964",
    title="Memory was overwritten by someone else",
    verdict="A request's KV holds marks of another: a wrong index reached the buffer, so two "
    "owners wrote to one place. Stop and keep the state; a restart only hides it.",
    severity="critical",
    exception="PoolError",
    message="token {token} holds (row, generation, position) {found}, {expected} was "
    "written: a wrong index reached the buffer",
    line="token {token} holds (row, generation, position) {found:triple}, "
    "{expected:triple} was written: a wrong index reached the buffer",
    pool="any",
    reach="invariant",
    origin="poolscope",
    figures=(
        Figure("token", "the first token that differs"),
        Figure("found", "what was read back"),
        Figure("expected", "what this owner wrote"),
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
        Remedy(
            key="mend-the-caller",
            text="Find who wrote there: keep the state, look at both owners of the token, mend or "
            "report the path with the wrong index.",
            status="proved",
        ),
        Remedy(
            text="Start with `--no-memory-check`.",
            status="refuted",
            proof="The memory is as wrong as before; only the test is gone.",
        ),
    ),
    proven=True,
    related=("pool-integrity-broken", "pool-foreign-index", "pool-double-free"),
)
