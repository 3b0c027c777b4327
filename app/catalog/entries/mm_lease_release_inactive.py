"""A lease was released that is not the one its slot has now."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="mm-lease-release-inactive",
    id="49354ebd1bf2dc19",
    title="Release of a lease that is over",
    verdict="A lease was released twice, or after its slot had been leased again. Nothing ran out: "
    "the generation caught a stale release. Report it with both numbers.",
    severity="error",
    exception="RuntimeError",
    message="Cannot release inactive {self.transport_name} pool lease (slot={lease.slot}, "
    "generation={lease.generation})",
    line="Cannot release inactive {transport_name:label} pool lease (slot={slot}, "
    "generation={generation})",
    pool="mm_feature",
    reach="invariant",
    figures=(
        Figure("transport_name", "who owns the pool"),
        Figure("slot", "the lease's slot"),
        Figure("generation", "the lease's generation; the slot has another now, or no lease"),
    ),
    meaning="A release must name the lease that the slot holds now. Without this check a late "
    "release would free memory that someone else is reading (ABA).",
    trigger="The lease is not the one registered for its slot.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool._release_locked",
            line=282,
            description="Compares the given lease with the registered one before it frees slot "
            "and range.",
        ),
    ),
    situations=("Within the recycler it is only a warning, and the pass is tried again.",),
    remedies=(
        Remedy(
            key="mend-the-consumer",
            text="Mend the path that keeps a lease beyond its end: upgrade, or report it with slot "
            "and generation.",
            status="proved",
        ),
        Remedy(
            text="Restart.",
            reason="generations start again at 0, but the path that releases late is still there",
        ),
    ),
    fault="stale-release",
    proven=True,
    related=("mm-slot-generation-exhausted", "mm-ipc-pool-full"),
)
