"""The sliding-window pool cannot hold one window."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="swa-pool-too-small",
    id="72ab4f3c78362d0e",
    title="Sliding-window pool below one request",
    verdict="The sliding-window pool does not hold one window and the page after it, so nothing "
    "could be admitted. Raise `--swa-full-tokens-ratio` or the KV budget.",
    severity="critical",
    exception="ValueError",
    message="SWA pool ({swa_tokens} tokens) cannot hold even one request: the prefill admission "
    "floor is sliding_window_size ({sliding_window_size}) + page_size ({page_size}). Increase "
    "--swa-full-tokens-ratio or the total KV budget.",
    pool="swa_pair",
    phase="startup",
    reach="operator",
    figures=(
        Figure("swa_tokens", "tokens of the sliding-window pool", "tokens"),
        Figure("sliding_window_size", "the model's window", "tokens"),
        Figure("page_size", "tokens per page", "tokens"),
    ),
    meaning="Layers with a sliding window keep their KV in a pool of their own, a share of the "
    "full one. A request needs a window in it while it prefills, and one page to go on.",
    trigger="The window and a page are at least as many tokens as the pool has.",
    source=(
        Source(
            path="python/sglang/srt/model_executor/pool_configurator.py",
            function="MemoryPoolConfigurator.validate_swa_pool_size",
            line=211,
            description="Compares both when the pools are sized.",
        ),
    ),
    flags=(known("--swa-full-tokens-ratio", "raise"), known("--mem-fraction-static", "raise")),
    remedies=(
        Remedy(
            text="Raise `--swa-full-tokens-ratio`.",
            direction="raise",
            flag="--swa-full-tokens-ratio",
            cost="full tokens: both pools share one budget",
        ),
        Remedy(
            text="Raise `--mem-fraction-static`.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
        ),
    ),
    related=("kv-prefill-oom",),
)
