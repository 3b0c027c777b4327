"""The host tier is smaller than the device pool that it backs."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_TAIL = (
    "host pool ({host_tokens} tokens) is smaller than the device pool ({device_tokens} tokens);"
    "L2 cache effectiveness is reduced.Consider increasing --hicache-ratio (or --hicache-size) "
    "for higher L2 cache hit rate."
)

ENTRY = ErrorEntry(
    code="host-pool-smaller-than-device",
    id="ebffc64c7d6dc162",
    title="Host pool smaller than the device pool",
    verdict="The host tier holds less than the device pool it backs, so it fills with copies of "
    "what is on the device. Raise `--hicache-ratio` above 1, or `--hicache-size`.",
    severity="warning",
    exception="log:warning",
    message="HiCache %s host pool (%d tokens) is smaller than the device pool (%d tokens);L2 cache "
    "effectiveness is reduced.Consider increasing --hicache-ratio (or --hicache-size) for higher "
    "L2 cache hit rate.",
    line="HiCache {pool:word} " + _TAIL,
    also=(
        "HiCache host KV pool ({host_tokens} tokens) is smaller than the device pool "
        "({device_tokens} tokens)",
        "HiCache {pool:word} host pool ({host_tokens} tokens) is smaller than the device pool "
        "({device_tokens} tokens)",
    ),
    pool="host_logical",
    phase="startup",
    reach="operator",
    figures=(
        Figure("pool", "which host pool"),
        Figure("host_tokens", "its capacity", "tokens"),
        Figure("device_tokens", "capacity of the device pool", "tokens"),
    ),
    meaning="With write-through every cached page has a host copy for as long as it is on the "
    "device. A host pool that is not larger has no room for anything else, and writes to storage "
    "starve.",
    trigger="Host tokens are at most device tokens.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache._allocate_host_buffer",
            line=239,
            description="Compares both capacities and warns.",
        ),
    ),
    flags=(
        known("--hicache-ratio", "raise"),
        known("--hicache-size", "raise"),
    ),
    situations=(
        "120,064 host tokens for 264,192 on the device: storage saw almost no writes "
        "(sgl-project/sglang#33862).",
    ),
    remedies=(
        Remedy(
            text="Raise `--hicache-ratio` above 1; the default is 2.",
            direction="raise",
            flag="--hicache-ratio",
            cost="host memory, times ranks and pools",
            seen="sgl-project/sglang#33862",
        ),
        Remedy(
            text="Raise `--hicache-size`.",
            direction="raise",
            flag="--hicache-size",
            cost="host memory, times ranks and pools",
        ),
    ),
    related=("host-memory-insufficient",),
    reports=("sgl-project/sglang#33862",),
)
