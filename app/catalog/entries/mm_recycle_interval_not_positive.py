"""The recycle interval is zero or negative."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="mm-recycle-interval-not-positive",
    id="9cdf158b2c8c68fb",
    title="Recycle interval of zero or less",
    verdict="`SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC` is zero or negative. Unset it (0.05 "
    "s), or give a positive number of seconds.",
    severity="critical",
    exception="ValueError",
    message="recycle_interval must be positive",
    pool="mm_feature",
    phase="startup",
    reach="operator",
    meaning="The recycler sleeps for this long between passes; without a pause it would never let "
    "go of the pool's lock.",
    trigger="The interval is 0 or less when a feature pool is built.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool.__init__",
            line=185,
            description="Refuses the interval before anything is built.",
        ),
        Source(
            path="python/sglang/srt/utils/cuda_vmm_transport_utils.py",
            function="CudaVmmMemoryPool.__init__",
            line=215,
            description="The same test in the CUDA VMM pool.",
        ),
    ),
    flags=(known("SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC", "raise"),),
    remedies=(
        Remedy(
            key="positive-interval",
            status="proved",
            text="Unset it, or give a positive number of seconds.",
            direction="raise",
            flag="SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC",
        ),
    ),
    proven=True,
    related=("mm-slot-generation-exhausted", "mm-pool-too-small-control"),
)
