"""The request limit was cut to what the state slots allow."""

from app.catalog import mamba
from app.catalog.entry import ErrorEntry, Figure, Source

_BEGIN = (
    "max_running_requests is capped to {0} by the mamba state cache (max_mamba_cache_size={1}, "
    "{2} state slots per request)"
)
_END = (
    ". To raise it: increase --mamba-full-memory-ratio or --max-mamba-cache-size, or halve the "
    "state size with --mamba-ssm-dtype bfloat16."
)

ENTRY = ErrorEntry(
    code="max-running-requests-mamba-cap",
    id="df223a6ab830a297",
    title="Request limit capped by state slots",
    verdict="State slots divided by slots per request is below the request limit, so that is the "
    "limit. Raise `--max-mamba-cache-size` or `--mamba-full-memory-ratio`; asking for more "
    "requests changes nothing.",
    severity="warning",
    exception="log:warning",
    message=(_BEGIN + _END).format("%d", "%d", "%d"),
    line=(_BEGIN + _END).format("{effective}", "{slots}", "{slots_per_request}"),
    also=(_BEGIN.format("{effective}", "{slots}", "{slots_per_request}"),),
    pool="mamba_states",
    phase="startup",
    reach="operator",
    figures=(
        Figure("effective", "requests that can run", "requests"),
        Figure("slots", "state slots", "slots"),
        Figure("slots_per_request", "slots that one request takes", "slots"),
    ),
    meaning=mamba.MEANING,
    trigger="State slots // slots per request is below the wanted limit.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/kv_cache_configurator.py",
            function="KVCacheConfigurator.resolve_max_num_reqs",
            line=3140,
            description="Caps the rows by the state slots and says so.",
        ),
    ),
    flags=mamba.flags(),
    remedies=(mamba.MORE_SLOTS, mamba.SMALLER),
    related=("max-running-requests-reduced", "mamba-slots-exhausted"),
)
