"""Pinning one more adapter would leave no slot for the others."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="lora-pin-would-starve",
    id="598ed29f41c46d93",
    title="No slot left to pin an adapter",
    verdict="Pinning this adapter would leave no slot for the base model and unpinned adapters. "
    "Load it unpinned, or raise `--max-loras-per-batch`.",
    severity="error",
    exception="ValueError",
    message="Failed to load LoRA adapter {lora_ref.lora_name} as a pinned adapter. It is not "
    "allowed to pin all slots in the LoRA memory pool to avoid starvation for unpinned adapters "
    "and base models. Please increase your `--max-loras-per-batch` or load it as unpinned LoRA "
    "adapters.",
    line="Failed to load LoRA adapter {lora_name:word} as a pinned adapter. It is not "
    "allowed to pin all slots in the LoRA memory pool to avoid starvation for unpinned adapters "
    "and base models. Please increase your `--max-loras-per-batch` or load it as unpinned LoRA "
    "adapters.",
    pool="lora_slots",
    reach="operator",
    figures=(Figure("lora_name", "the adapter"),),
    meaning="A pinned adapter never gives up its slot. At least one slot must stay free to change.",
    trigger="Pinned adapters have reached `--max-loras-per-batch` - 1. With a value of 1 nothing "
    "can be pinned.",
    source=(
        Source(
            path="python/sglang/srt/lora/lora_manager.py",
            function="LoRAManager.validate_new_adapter",
            line=379,
            description="Refuses a pin beyond all slots but one, before anything is loaded.",
        ),
    ),
    flags=(known("--max-loras-per-batch", "raise"),),
    remedies=(
        Remedy(
            key="load-unpinned",
            text="Load it unpinned.",
            status="proved",
            cost="it may be swapped out between batches",
        ),
        Remedy(key="unload-first", text="Unload a pinned adapter first.", status="proved"),
        Remedy(
            key="raise-max-loras",
            text="Raise `--max-loras-per-batch`.",
            status="proved",
            direction="raise",
            flag="--max-loras-per-batch",
            cost="GPU memory for one more slot of every module and layer",
        ),
    ),
    proven=True,
    related=("lora-rank-incompatible",),
)
