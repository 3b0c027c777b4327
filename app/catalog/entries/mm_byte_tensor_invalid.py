"""The feature pool was given unsuitable memory."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="mm-byte-tensor-invalid",
    id="db3d0b0ee00d0486",
    title="Unsuitable memory for the feature pool",
    verdict="A caller built the feature pool on a tensor of the wrong device, type, layout or "
    "size. No flag bears on it: pass a matching tensor, or report it.",
    severity="critical",
    exception="ValueError",
    message="byte_tensor must be a sufficiently large contiguous uint8 tensor on cuda:{device_id}",
    line="byte_tensor must be a sufficiently large contiguous uint8 tensor on cuda:{device_id}",
    also=(
        "byte_tensor must be a sufficiently large contiguous uint8 tensor on {device_name:word}",
    ),
    pool="mm_feature",
    phase="startup",
    reach="developer",
    figures=(Figure("device_id", "CUDA device the pool is built for"),),
    meaning="The pool can be built on memory that the caller brings. It checks that memory once, "
    "when it is built.",
    trigger="The tensor is not on that device, not uint8, not contiguous, or shorter than the "
    "pool.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool.__init__",
            line=193,
            description="Tests device, type, contiguity and length of memory from outside.",
        ),
    ),
    remedies=(
        Remedy(
            key="matching-tensor",
            text="Pass a matching tensor; the pool that the server builds always does.",
            status="proved",
        ),
    ),
    proven=True,
    related=("mm-pool-too-small-control", "mm-recycle-interval-not-positive"),
)
