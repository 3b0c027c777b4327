"""CUDA VMM transport was asked for with a model that has no multimodal processor."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="vmm-needs-mm-processor",
    id="94a962ecc2f8d80a",
    title="VMM transport without a multimodal processor",
    verdict="`--mm-feature-transport cuda_vmm` was given for a model without a multimodal "
    "processor. Drop the flag for a text-only model.",
    severity="critical",
    exception="RuntimeError",
    message="A CUDA VMM-enabled model must provide a multimodal processor",
    pool="mm_vmm",
    phase="startup",
    reach="operator",
    meaning="The transport wraps the processor's output, so there must be a processor.",
    trigger="The transport is built and the model has no multimodal processor.",
    source=(
        Source(
            path="python/sglang/srt/utils/cuda_vmm_transport_utils.py",
            function="CudaVmmFeatureTransport.__init__",
            line=1011,
            description="Refuses to build the transport without a processor.",
        ),
    ),
    flags=(known("--mm-feature-transport", "none"),),
    remedies=(
        Remedy(text="Drop the flag for a text-only model.", flag="--mm-feature-transport"),
        Remedy(text="Load the model together with its multimodal processor."),
    ),
    related=("mm-ipc-pool-full", "mm-slot-generation-exhausted"),
)
