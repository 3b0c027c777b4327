"""A feature found no free range and took the slow path."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_BEGIN = (
    "MmItemMemoryPool has no free chunk large enough for a {need_mib:float} MiB tensor "
    "(pool size: {pool_mib:float} MiB); falling back to non-IPC transport"
)

ENTRY = ErrorEntry(
    code="mm-ipc-pool-full",
    id="727c916097d120da",
    title="Feature pool full: slow path over host memory",
    verdict="No single free range of the feature pool holds this tensor, or all 4,096 slots are "
    "leased. The request is only slower. Raise `SGLANG_MM_FEATURE_CACHE_MB`, or find the consumer "
    "that does not acknowledge.",
    severity="warning",
    exception="log:warning",
    message="MmItemMemoryPool has no free chunk large enough for a %.2f MiB tensor (pool size: "
    "%.2f MiB); falling back to non-IPC transport. Consider increasing "
    "SGLANG_MM_FEATURE_CACHE_MB.",
    line=f"{_BEGIN}. Consider increasing SGLANG_MM_FEATURE_CACHE_MB.",
    also=(_BEGIN,),
    pool="mm_feature",
    reach="operator",
    figures=(
        Figure("need_mib", "size of the tensor", "MiB"),
        Figure("pool_mib", "size of the pool", "MiB"),
    ),
    meaning="Features are handed to the scheduler in place when the pool has one free range for "
    "them; otherwise they are copied through host memory, which is slower and correct. Free bytes "
    "may be plenty: they count only in one piece, and neighbours merge only when the recycler "
    "passes.",
    trigger="No free range of at least the tensor's size, rounded up to 256 bytes, or no free "
    "slot. Logged once per process, so the log does not measure how often.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/cuda_ipc.py",
            function="MmItemMemoryPool._warn_pool_full_once",
            line=175,
            description="Logs the first miss of the process; the caller copies to the CPU.",
        ),
    ),
    flags=(
        known("SGLANG_MM_FEATURE_CACHE_MB", "raise"),
        known("--tokenizer-worker-num", "lower"),
        known("SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC", "lower"),
        known("--mm-feature-transport", "none"),
    ),
    situations=(
        "The slowest rank's acknowledgement holds every lease.",
        "A large image meets a pool in pieces: 112.50 MiB of 1,024 MiB "
        "(sgl-project/sglang#29687). On ROCm the fall-back itself failed there.",
    ),
    remedies=(
        Remedy(
            key="mend-the-consumer",
            text="Find the rank that does not acknowledge: every lease waits for the slowest one.",
            status="proved",
        ),
        Remedy(
            key="raise-cache",
            status="proved",
            text="Raise `SGLANG_MM_FEATURE_CACHE_MB`.",
            direction="raise",
            flag="SGLANG_MM_FEATURE_CACHE_MB",
            cost="the KV budget shrinks by the same amount",
        ),
        Remedy(
            text="Fewer tokenizer workers, so that each has a larger share.",
            reason="one worker is modelled; its share is the size of the pool",
            direction="lower",
            flag="--tokenizer-worker-num",
        ),
        Remedy(
            key="shorter-recycle-interval",
            status="proved",
            text="A shorter recycle interval, where leases are acknowledged quickly.",
            not_when="a consumer is silent: the pass finds nothing to return",
            direction="lower",
            flag="SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC",
            cost="slots wear faster, see `mm-slot-generation-exhausted`",
        ),
    ),
    fault="silent-consumer",
    proven=True,
    related=(
        "mm-pool-too-small-control",
        "mm-slot-generation-exhausted",
        "mm-lease-release-inactive",
    ),
    reports=("sgl-project/sglang#29687",),
)
