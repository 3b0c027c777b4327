"""The asked token capacity is above what memory allows."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="max-total-tokens-above-profile",
    id="0323cd1166a1437b",
    title="Token capacity cut to what memory allows",
    verdict="`--max-total-tokens` asks for more than fits, so the profiled value is used. A "
    "profiled value at or below zero means that the weights exceed the static share: the server "
    "will not start.",
    severity="warning",
    exception="log:warning",
    message="max_total_tokens={user_limit} is larger than the profiled value {token_capacity}. "
    "Use the profiled value instead.",
    line="max_total_tokens={asked} is larger than the profiled value {profiled}. "
    "Use the profiled value instead.",
    also=("max_total_tokens={asked} is larger than the profiled value {profiled}",),
    pool="kv_pages",
    phase="startup",
    reach="operator",
    figures=(
        Figure("asked", "the flag", "tokens"),
        Figure("profiled", "what memory allows; negative when weights exceed the share", "tokens"),
    ),
    meaning="The flag is an upper bound. It can make the pool smaller, never larger.",
    trigger="The flag exceeds the capacity worked out from memory.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/kv_cache_configurator.py",
            function="KVCacheConfigurator._apply_token_constraints",
            line=3101,
            description="Compares the flag with the profiled capacity and warns.",
        ),
    ),
    flags=(
        known("--max-total-tokens", "none"),
        known("--mem-fraction-static", "raise"),
        known("--kv-cache-dtype", "lower"),
        known("--dp-size", "lower", "Each replica on a GPU holds weights of its own."),
    ),
    situations=(
        "131,072 asked, -561,981 profiled: eight replicas of the weights left nothing "
        "(sgl-project/sglang#7691).",
    ),
    remedies=(
        Remedy(
            text="Profiled above zero: drop the flag, or raise `--mem-fraction-static`.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
        ),
        Remedy(
            text="Profiled at or below zero: load less per GPU (fewer replicas, more GPUs, "
            "quantised weights).",
            direction="lower",
            flag="--dp-size",
        ),
        Remedy(
            text="Raise `--max-total-tokens`.",
            status="refuted",
            direction="raise",
            flag="--max-total-tokens",
            proof="The smaller of flag and profiled value is used: above the profile the flag "
            "changes nothing.",
        ),
    ),
    related=("not-enough-memory-kv", "max-running-requests-reduced"),
    reports=("sgl-project/sglang#7691",),
)
