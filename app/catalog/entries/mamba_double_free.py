"""The state slot of a request was given back twice."""

from app.catalog.entry import ErrorEntry, Remedy, Source

ENTRY = ErrorEntry(
    code="mamba-double-free",
    id="034d034526ba0a5f",
    title="State slot given back twice",
    verdict="The state slot of a request was freed when the request had none. Nothing ran out: it "
    "is a bug of the server. Upgrade or report it.",
    severity="critical",
    exception="AssertionError",
    message="double free? mamba_index is None",
    pool="mamba_states",
    reach="invariant",
    meaning="A request gives its state slot back once, when it ends or is retracted. A slot freed "
    "twice would be handed to two requests.",
    trigger="The request to be freed holds no state slot.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool.py",
            function="HybridReqToTokenPool.free_mamba_cache",
            line=1830,
            description="Asserts that the request has a state slot before it gives it back.",
        ),
    ),
    remedies=(Remedy(text="Upgrade, or report it with the log around it. A restart clears it."),),
    related=("mamba-slots-exhausted", "pool-double-free"),
)
