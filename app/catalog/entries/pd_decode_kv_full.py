"""A PD decode server promised KV that it does not have."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_NAMES = (
    ("available", "self._radix_full_available()"),
    ("evictable", "self._radix_full_evictable()"),
    ("protected", "self._radix_full_protected()"),
    ("required_alloc", "required_alloc_tokens"),
    ("delta", "delta_len"),
    ("fill", "fill_len"),
    ("prefix", "prefix_len"),
    ("total_prefix", "total_prefix_len"),
    ("swa_available", "allocator.swa_available_size() if swa_pages_charged else -1"),
    ("swa_evictable", "self.tree_cache.swa_evictable_size() if swa_pages_charged else -1"),
    ("required_swa", "required_swa_tokens"),
    ("swa_tail_len", "swa_tail_len"),
    ("page_size", "allocator.page_size"),
)
_BEGIN = "KV cache is full! Bug in memory estimation. "

ENTRY = ErrorEntry(
    code="pd-decode-kv-full",
    id="358ab3cfc3d9726a",
    title="PD decode: KV promised and not there",
    verdict="Pre-allocation passed its own check and then found no room: the estimate is wrong, "
    "not your setting. Compare each pool's required with available; upgrade, or keep more in "
    "reserve.",
    severity="critical",
    exception="AssertionError",
    message=_BEGIN
    + ", ".join(f"{name}={{{expression}}}" for name, expression in _NAMES)
    + ", req={req.rid}",
    line=_BEGIN + ", ".join(f"{name}={{{name}}}" for name, _ in _NAMES) + ", req={req:word}",
    also=(
        "KV cache is full! Bug in memory estimation.",
        "KV cache is full! There is a bug in memory estimation.",
    ),
    pool="kv_pages",
    reach="invariant",
    figures=(
        *(Figure(name, "printed by the check", "tokens") for name, _ in _NAMES),
        Figure("req", "id of the request"),
    ),
    meaning="The decode side takes KV for a request before its prefill arrives. It counts what is "
    "free and evictable, evicts, and then allocates. With a window pool the short one may be the "
    "window, while eviction was asked for full tokens.",
    trigger="After a passed estimate and an eviction, the allocator has no room.",
    source=(
        Source(
            path="python/sglang/srt/disaggregation/decode.py",
            function="DecodePreallocQueue._pre_alloc",
            line=2357,
            description="Allocates what was promised and stops with the numbers. Releases up to "
            "0.5.6 print the first sentence only.",
        ),
    ),
    flags=(
        known("--num-reserved-decode-tokens", "raise"),
        known("--mem-fraction-static", "raise"),
        known("--disaggregation-decode-enable-radix-cache", "none"),
    ),
    situations=(
        "Window tokens were short and full tokens were evicted (sgl-project/sglang#29662).",
    ),
    remedies=(
        Remedy(text="Upgrade; report it with the numbers of the message."),
        Remedy(
            text="Keep more in reserve per request.",
            direction="raise",
            flag="--num-reserved-decode-tokens",
            cost="fewer requests at once; one report lost half its throughput",
        ),
        Remedy(
            text="Leave the prefix cache of the decode side off.",
            flag="--disaggregation-decode-enable-radix-cache",
        ),
    ),
    related=("retract-kv-pool-full", "kv-prefill-oom"),
    reports=("sgl-project/sglang#29662",),
)
