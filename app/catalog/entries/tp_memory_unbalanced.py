"""One GPU of the group has far less free memory than another."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_BEGIN = "The memory capacity is unbalanced. Some GPUs may be occupied by other processes."

ENTRY = ErrorEntry(
    code="tp-memory-unbalanced",
    id="598a068d14ef9f94",
    title="GPUs do not have equal free memory",
    verdict="Before the weights were loaded, the fullest GPU of the group had under 90 % of the "
    "free memory of this one. Find and end what occupies it; no size flag helps.",
    severity="critical",
    exception="RuntimeError",
    message=_BEGIN + " pre_model_load_memory={pre_model_load_memory}, "
    "local_gpu_memory={local_gpu_memory}, local_gpu_memory * 0.9={local_gpu_memory * 0.9}",
    line=_BEGIN + " pre_model_load_memory={least_free_gb:float}, "
    "local_gpu_memory={local_free_gb:float}, local_gpu_memory * 0.9={floor_gb:float}",
    also=(
        _BEGIN + " min_per_gpu_memory={least_free_gb:float}, "
        "local_gpu_memory={local_free_gb:float}, local_gpu_memory * 0.9={floor_gb:float}",
        _BEGIN,
    ),
    pool="kv_pages",
    phase="startup",
    reach="operator",
    figures=(
        Figure("least_free_gb", "free on the fullest GPU", "GB"),
        Figure("local_free_gb", "free on the GPU of the rank that complains", "GB"),
        Figure("floor_gb", "90 % of that", "GB"),
    ),
    meaning="Every rank is sized for the fullest GPU, so the others would waste what they have. "
    "The rank that prints the line is a free one; the occupied GPU is another.",
    trigger="The least free memory in the group is under 90 % of the local one.",
    source=(
        Source(
            path="python/sglang/srt/distributed/bootstrap.py",
            function="_check_tp_memory_balance",
            line=450,
            description="Compares free memory over the group; raises, or warns when told to.",
        ),
    ),
    flags=(known("SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK", "none"),),
    situations=(
        "A process left from an earlier start still holds memory (sgl-project/sglang#1533).",
        "Cards of two sizes in one group: the smallest decides.",
    ),
    remedies=(
        Remedy(
            text="List the processes of every GPU of the group and end the foreign one.",
            seen="sgl-project/sglang#1533",
        ),
        Remedy(text="Restrict the visible devices to GPUs that are equal and free."),
        Remedy(
            text="Relax the check with `SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK=false`.",
            flag="SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK",
            cost="all ranks get the pool of the smallest",
        ),
    ),
    related=("not-enough-memory-kv", "weights-leave-no-kv-memory", "cuda-graph-capture-oom"),
    reports=("sgl-project/sglang#1533",),
)
