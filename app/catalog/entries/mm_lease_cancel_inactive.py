"""A lease was cancelled that is not the one its slot has now."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="mm-lease-cancel-inactive",
    id="4ceb9845fa5e264c",
    title="Cancel of a lease that is over",
    verdict="A lease was cancelled after it was freed, or after its slot had been leased again. "
    "Nothing ran out: the generation caught a stale cancel. Report it with both numbers.",
    severity="error",
    exception="RuntimeError",
    message="Cannot cancel inactive {self.transport_name} pool lease (slot={slot}, "
    "generation={generation})",
    line="Cannot cancel inactive {transport_name:label} pool lease (slot={slot}, "
    "generation={generation})",
    pool="mm_feature",
    reach="invariant",
    figures=(
        Figure("transport_name", "who owns the pool"),
        Figure("slot", "the lease's slot"),
        Figure("generation", "the lease's generation; the slot has another now, or no lease"),
    ),
    meaning="A producer that could not send a feature acknowledges it for every consumer, so that "
    "the next recycle pass frees it. It must name the lease that the slot holds now.",
    trigger="The lease is not the one registered for its slot: it was freed already.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool.cancel_lease",
            line=395,
            description="Compares generation and offsets with the registered lease before it "
            "acknowledges for anyone.",
        ),
    ),
    situations=("A request is rolled back twice, or after its consumers had acknowledged it.",),
    remedies=(
        Remedy(
            key="mend-the-producer",
            text="Mend the path that cancels twice or too late: upgrade, or report it with slot "
            "and generation.",
            status="proved",
        ),
        Remedy(
            text="Restart.",
            reason="generations start again at 0, but the path that cancels late is still there",
        ),
    ),
    proven=True,
    related=("mm-lease-release-inactive", "mm-slot-generation-exhausted"),
)
