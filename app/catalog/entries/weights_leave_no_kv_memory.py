"""At start, the weights use up the whole static share."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="weights-leave-no-kv-memory",
    id="a7fdbd363aa753ad",
    title="Weights leave nothing for the KV pool",
    verdict="The weights alone exceed the share that `--mem-fraction-static` allows. Raise it a "
    "little above the value that the message suggests, or load less per GPU.",
    severity="critical",
    exception="ValueError",
    message="Loaded weights leave no GPU memory for the KV cache under "
    "--mem-fraction-static={get_schedule().mem_fraction_static}. Raise --mem-fraction-static "
    "above {suggested_mem_fraction_static} (minimum viable = 1 - available/pre = "
    "{minimum_mem_fraction_static}). If using speculative decoding, draft weights are now "
    "counted.",
    line="Loaded weights leave no GPU memory for the KV cache under "
    "--mem-fraction-static={mem_fraction_static:float}. Raise --mem-fraction-static "
    "above {suggested:float} (minimum viable = 1 - available/pre = "
    "{minimum:float}). If using speculative decoding, draft weights are now counted.",
    also=("Loaded weights leave no GPU memory for the KV cache",),
    pool="kv_pages",
    phase="startup",
    reach="operator",
    figures=(
        Figure("mem_fraction_static", "the share that was in force"),
        Figure("suggested", "the share to exceed"),
        Figure("minimum", "1 - free after weights / free before"),
    ),
    meaning="What is free after the weights is at most the slack that the fraction keeps back, so "
    "the KV budget is not positive.",
    trigger="Free after weights, less the slack and what is reserved for features and states, is "
    "at most zero.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/kv_cache_configurator.py",
            function="KVCacheConfigurator._profile_available_bytes",
            line=3050,
            description="Works out the budget and, when there is none, the smallest share that "
            "would leave one. The feature pool and state slots are not in that share.",
        ),
    ),
    flags=(
        known("--mem-fraction-static", "raise"),
        known("SGLANG_MM_FEATURE_CACHE_MB", "lower"),
        known("--mamba-full-memory-ratio", "none"),
    ),
    remedies=(
        Remedy(
            text="Raise `--mem-fraction-static` above the value printed; a little more where "
            "features or states are reserved.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations and CUDA graphs",
        ),
        Remedy(text="More GPUs, quantised weights, a smaller draft model."),
    ),
    related=("not-enough-memory-kv", "cuda-graph-capture-oom", "tp-memory-unbalanced"),
)
