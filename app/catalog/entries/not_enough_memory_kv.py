"""At start, nothing is left for the KV pool."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_BEGIN = "Not enough memory. Please try to increase --mem-fraction-static."

ENTRY = ErrorEntry(
    code="not-enough-memory-kv",
    id="84991f21966d473d",
    title="No memory left for the KV pool at start",
    verdict="Weights and what is charged with them use up the share of the GPU that "
    "`--mem-fraction-static` allows. Raise it, or load less. At run time the same flag is turned "
    "the other way.",
    severity="critical",
    exception="RuntimeError",
    message=_BEGIN + " Current value: mem_fraction_static={self.mem_fraction_static}",
    line=_BEGIN + " Current value: mem_fraction_static={mem_fraction_static:float}",
    also=(
        _BEGIN + " Current value: self.server_args.mem_fraction_static={mem_fraction_static:float}",
        _BEGIN,
    ),
    pool="kv_pages",
    phase="startup",
    reach="operator",
    figures=(Figure("mem_fraction_static", "the share that was in force"),),
    meaning="The pool gets what is free after the weights, less (1 - fraction) of what was free "
    "before them. When that is not positive there are no tokens at all, and the server does not "
    "start. A CUDA out of memory in a forward pass is the opposite case: the pool took what "
    "activations need.",
    trigger="The token capacity worked out at start is at most zero.",
    source=(
        Source(
            path="python/sglang/srt/model_executor/pool_configurator.py",
            function="MemoryPoolConfig.__post_init__",
            line=99,
            description="Refuses a capacity that is not positive. Releases before 0.5.3 do not "
            "print the value.",
        ),
    ),
    flags=(
        known("--mem-fraction-static", "raise"),
        known("--kv-cache-dtype", "lower", "Halves the bytes per token; no help below zero."),
        known("--max-total-tokens", "none"),
        known("--speculative-num-draft-tokens", "none", "A draft model has weights and KV too."),
        known("--tp-size", "raise", "Spreads the weights over more GPUs."),
    ),
    situations=(
        "0.84 says `Not enough memory`, 0.85 ends in a CUDA out of memory: a draft model was "
        "outside the fraction, so no value fitted both (sgl-project/sglang#4330).",
        "A wrapper passed no value and the default of the device was too low "
        "(gpustack/gpustack#3831).",
        "A 4-bit model of 27 B parameters with a vision tower on 24 GB (sgl-project/sglang#4895).",
    ),
    remedies=(
        Remedy(
            text="Raise `--mem-fraction-static` above 1 - (free after weights / free before).",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations and CUDA graphs",
            not_when="the value comes out near 1: then the weights do not fit this GPU",
            seen="sgl-project/sglang#322, #4895",
        ),
        Remedy(
            text="Load less per GPU: more GPUs, fewer replicas, quantised weights, no draft model.",
            direction="raise",
            flag="--tp-size",
        ),
        Remedy(text="See whether another process holds memory: free memory before the weights."),
        Remedy(
            text="Lower `--mem-fraction-static`, as for a CUDA out of memory.",
            status="refuted",
            direction="lower",
            flag="--mem-fraction-static",
            proof="The budget is free after weights minus free before x (1 - fraction): a lower "
            "fraction subtracts more from what is already at most zero.",
        ),
    ),
    related=(
        "weights-leave-no-kv-memory",
        "max-total-tokens-above-profile",
        "cuda-graph-capture-oom",
        "tp-memory-unbalanced",
    ),
    reports=("sgl-project/sglang#322", "sgl-project/sglang#4330", "sgl-project/sglang#4895"),
)
