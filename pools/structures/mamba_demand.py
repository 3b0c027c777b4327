"""How many state slots requests of a hybrid model take: counted, and by the factors of old.

    running state   1 slot
    tracking        0, 1 or 2 slots that states of the prefix are written to in turn
    cached          what the prefix cache keeps of requests that ended

Mirrors: sglang 0.5.23 mem_cache/allocation_sizing.py (get_mamba_tracking_slots) and
    mem_cache/kv_cache_configurator.py (the ratio of slots to running requests). Earlier releases
    evicted for a fixed number of slots per request (MAMBA_STATE_PER_REQ_*); 0.5.23 counts.
"""

#: slots per request that earlier releases made room for: with a prefix cache, lazily, without one
FACTOR_PREFIX_CACHE, FACTOR_PREFIX_CACHE_LAZY, FACTOR_NO_CACHE = 3, 2, 1
#: slots per running request that a prefix cache is sized for, tracking not counted
_CACHED_RATIO = 3


def tracking_slots(*, extra_buffer: bool, overlap: bool = True, lazy: bool = False) -> int:
    """Slots that a request begins to track its prefix with; lazily, the second one comes later."""
    if not extra_buffer:
        return 0
    return 2 if overlap and not lazy else 1


def headroom_by_factor(num_reqs: int, *, prefix_cache: bool, lazy: bool = False) -> int:
    """Slots that earlier releases wanted free before `num_reqs` requests got their rows."""
    if not prefix_cache:
        return num_reqs * FACTOR_NO_CACHE
    return num_reqs * (FACTOR_PREFIX_CACHE_LAZY if lazy else FACTOR_PREFIX_CACHE)


def slots_per_running_request(*, prefix_cache: bool, tracking: int = 0) -> int:
    """By what the number of slots is divided to cap the running requests."""
    return _CACHED_RATIO + tracking if prefix_cache else 1
