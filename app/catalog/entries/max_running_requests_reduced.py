"""The request limit was cut to half the token capacity."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="max-running-requests-reduced",
    id="51a0c3934ceda8b6",
    title="Request limit reduced at start",
    verdict="`--max-running-requests` was cut to half the token capacity. To have the rows that "
    "were asked for, raise the token pool; else take the printed limit as the real one.",
    severity="warning",
    exception="log:warning",
    message="max_running_requests was reduced from the requested %d to %d (per dp worker) due to "
    "the available KV cache capacity.",
    line="max_running_requests was reduced from the requested {asked} to {effective} (per dp "
    "worker) due to the available KV cache capacity.",
    pool="request_slots",
    phase="startup",
    reach="operator",
    figures=(
        Figure("asked", "the flag, per DP worker", "rows"),
        Figure("effective", "rows there will be, per DP worker", "rows"),
    ),
    meaning="A running request needs at least two tokens of KV, so more rows than half the "
    "capacity could never be used.",
    trigger="The limit asked for exceeds token capacity // 2.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/kv_cache_configurator.py",
            function="KVCacheConfigurator.resolve_max_num_reqs",
            line=3166,
            description="Settles the rows and warns when the flag had to give way.",
        ),
    ),
    flags=(
        known("--mem-fraction-static", "raise"),
        known("--kv-cache-dtype", "lower"),
        known("--max-total-tokens", "raise"),
        known("--max-running-requests", "lower"),
    ),
    remedies=(
        Remedy(
            key="enlarge",
            status="proved",
            text="Enlarge the token pool: `--mem-fraction-static` up, an fp8 `--kv-cache-dtype`.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
        ),
        Remedy(
            key="ask-for-less",
            text="Set `--max-running-requests` to the printed limit: the rows stay as they are, "
            "and the flag says what holds.",
            status="proved",
            direction="lower",
            flag="--max-running-requests",
        ),
    ),
    proven=True,
    related=("alloc-req-slots-exhausted",),
)
