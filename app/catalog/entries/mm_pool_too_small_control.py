"""The feature pool does not even hold its control words."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="mm-pool-too-small-control",
    id="bca15d74106c18b6",
    title="Feature pool smaller than its control words",
    verdict="The share of a tokenizer worker is too small for the pool's control words, let alone "
    "data. Raise `SGLANG_MM_FEATURE_CACHE_MB` or lower `--tokenizer-worker-num`.",
    severity="critical",
    exception="ValueError",
    message="{transport_name} pool is too small after control metadata: pool={memory_size}, "
    "control={self.data_start}",
    line="{transport_name:label} pool is too small after control metadata: pool={memory_size}, "
    "control={data_start}",
    pool="mm_feature",
    phase="startup",
    reach="operator",
    figures=(
        Figure("transport_name", "who owns the pool"),
        Figure("memory_size", "bytes of this worker's pool", "bytes"),
        Figure("data_start", "bytes the control words take", "bytes"),
    ),
    meaning="Control words come first: a ready word and one acknowledgement word per consumer for "
    "each of 4,096 slots. Data begins after them, so the pool must be larger than that.",
    trigger="The pool is at most 4,096 x (1 + consumers) x 4 bytes, rounded up to 256: 147,456 "
    "bytes for 8 consumers.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool.__init__",
            line=211,
            description="Lays out control words and data, and refuses a pool without data.",
        ),
    ),
    flags=(
        known("SGLANG_MM_FEATURE_CACHE_MB", "raise"),
        known("--tokenizer-worker-num", "lower"),
        known("--tp-size", "none"),
    ),
    situations=(
        "One MiB shared by 8 workers at TP 8: 131,072 bytes each, of which 147,456 are "
        "needed for control.",
    ),
    remedies=(
        Remedy(
            key="raise-cache",
            status="proved",
            text="Raise `SGLANG_MM_FEATURE_CACHE_MB`.",
            direction="raise",
            flag="SGLANG_MM_FEATURE_CACHE_MB",
            cost="the KV budget shrinks by the same amount",
        ),
        Remedy(
            key="fewer-workers",
            text="Fewer tokenizer workers.",
            status="proved",
            direction="lower",
            flag="--tokenizer-worker-num",
        ),
    ),
    proven=True,
    related=("mm-ipc-pool-full", "mm-byte-tensor-invalid", "mm-recycle-interval-not-positive"),
)
