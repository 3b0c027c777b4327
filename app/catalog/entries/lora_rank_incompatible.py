"""An adapter does not fit the buffers made at start."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="lora-rank-incompatible",
    id="c902b6bde5b8921c",
    title="Adapter does not fit the buffers",
    verdict="The adapter's rank is above `--max-lora-rank`, or it touches modules without buffers: "
    "the message names the rank in both cases. Compare both, restart with the larger value.",
    severity="error",
    exception="ValueError",
    message="LoRA adapter {lora_ref.lora_name} with rank {lora_config.r} is incompatible with the "
    "current LoRA memory pool configuration. Please ensure that the LoRA adapter's rank is within "
    "the configured `--max-lora-rank` and that the target modules are included in "
    "`--lora-target-modules`.",
    line="LoRA adapter {lora_name:word} with rank {rank} is incompatible with the "
    "current LoRA memory pool configuration. Please ensure that the LoRA adapter's rank is within "
    "the configured `--max-lora-rank` and that the target modules are included in "
    "`--lora-target-modules`.",
    pool="lora_slots",
    reach="operator",
    figures=(
        Figure("lora_name", "the adapter"),
        Figure("rank", "its rank; not the cause when it is within the limit"),
    ),
    meaning="Slots have one rank and a fixed list of modules, settled at start. An adapter that "
    "needs more of either cannot be loaded.",
    trigger="The rank exceeds the limit, or the adapter's modules are no subset of those with "
    "buffers.",
    source=(
        Source(
            path="python/sglang/srt/lora/lora_manager.py",
            function="LoRAManager.validate_new_adapter",
            line=371,
            description="Asks the pool whether it can hold rank and modules, and refuses with one "
            "text for both.",
        ),
    ),
    flags=(known("--max-lora-rank", "raise"), known("--lora-target-modules", "none")),
    remedies=(
        Remedy(
            key="raise-max-rank",
            status="proved",
            text="Compare the rank with `--max-lora-rank`; restart with the larger one.",
            direction="raise",
            flag="--max-lora-rank",
            cost="GPU memory in proportion, for every slot",
        ),
        Remedy(
            key="add-modules",
            status="proved",
            text="If the rank fits, compare the modules with `--lora-target-modules`.",
            flag="--lora-target-modules",
        ),
    ),
    proven=True,
    related=("lora-pin-would-starve",),
    reports=("sgl-project/sglang#17322", "sgl-project/sglang#7808"),
)
