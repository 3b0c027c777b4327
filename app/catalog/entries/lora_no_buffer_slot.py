"""A batch needs more adapter slots than can be had."""

from app.catalog.entry import ErrorEntry, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="lora-no-buffer-slot",
    id="44c9b36a56b39a73",
    title="No adapter slot for a batch",
    verdict="Every adapter slot is pinned or needed by this very batch. Raise "
    "`--max-loras-per-batch`, or pin fewer adapters.",
    severity="critical",
    exception="ValueError",
    message="No available buffer slots found. Please ensure the number of active (pinned) loras is "
    "less than max_loras_per_batch.",
    pool="lora_slots",
    reach="operator",
    meaning="A batch needs a slot for each adapter in it, and one for requests of the base model. "
    "Admission counts them first, so getting here means that the count was wrong.",
    trigger="An adapter of the batch has no slot, none is empty, and all others are pinned or of "
    "this batch.",
    source=(
        Source(
            path="python/sglang/srt/lora/mem_pool.py",
            function="LoRAMemoryPool.prepare_lora_batch",
            line=817,
            description="Looks for an empty slot, then for a victim, and refuses without either. "
            "Adapters before it in the batch are loaded by then.",
        ),
    ),
    flags=(known("--max-loras-per-batch", "raise"),),
    remedies=(
        Remedy(
            text="Raise `--max-loras-per-batch`.",
            direction="raise",
            flag="--max-loras-per-batch",
            cost="GPU memory for one more slot of every module and layer",
        ),
        Remedy(text="Pin fewer adapters."),
    ),
    here="Strict checks find all slots of the batch before one is changed.",
    related=("lora-pin-would-starve", "lora-rank-incompatible"),
)
