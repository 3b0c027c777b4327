"""Coded errors of the pools beside rows and KV: states, host KV, windows, adapters.

Same shape as `pools.errors`: upstream's text and base class, `.code` and `.numbers`.
"""

from pools.errors import PoolError


class MambaSlotsExhausted(PoolError, AssertionError):
    """The hybrid pool has a row for a request, but no state slot."""

    code = "mamba-slots-exhausted"

    def __init__(self, size: int, available_size: int, num_reqs: int) -> None:
        super().__init__(
            "Not enough space for mamba cache, try to increase --mamba-full-memory-ratio or "
            f"--max-mamba-cache-size. mid=None, self.mamba_pool.size={size}, "
            f"self.mamba_allocator.available_size()={available_size}, len(reqs)={num_reqs}",
            slots=size,
            available_slots=available_size,
            reqs=num_reqs,
        )


class MambaPingPongExhausted(PoolError, AssertionError):
    """The hybrid pool has no state slot left to track a request's prefix with."""

    code = "mamba-ping-pong-exhausted"

    def __init__(self, need_slots: int, available_size: int) -> None:
        super().__init__(
            "Not enough space for mamba ping pong idx, try to increase --mamba-full-memory-ratio.",
            need_slots=need_slots,
            available_size=available_size,
        )


class MambaDoubleFree(PoolError, AssertionError):
    """A request's state slot given back a second time."""

    code = "mamba-double-free"

    def __init__(self, rid: int) -> None:
        super().__init__("double free? mamba_index is None", rid=rid)


class HostUnsupportedLayout(PoolError, ValueError):
    """A host layout that the host KV pool has no buffer shape for."""

    code = "host-unsupported-layout"

    def __init__(self, layout: str) -> None:
        super().__init__(f"Unsupported layout: {layout}", layout=layout)


class HostKvAllocUnaligned(PoolError, AssertionError):
    """A request for host KV that is no multiple of the page."""

    code = "host-alloc-unaligned"

    def __init__(self, need_size: int, page_size: int) -> None:
        super().__init__(
            "The requested size should be a multiple of the page size.",
            need_size=need_size,
            page_size=page_size,
        )


class HostKvDoubleFree(PoolError, AssertionError):
    """Host KV slots given back that nobody holds."""

    code = "host-double-free"

    def __init__(self, slots: list[int], num_slots: int) -> None:
        super().__init__(
            f"Double-free detected: slots not currently allocated: {slots}.",
            slot=slots[0],
            num_bad=len(slots),
            num_slots=num_slots,
        )


class HostKvDoubleAlloc(PoolError, AssertionError):
    """Slots on the host KV pool's free list that somebody holds: one was freed twice in a call."""

    code = "host-double-alloc"

    def __init__(self, slots: list[int], num_slots: int) -> None:
        super().__init__(
            f"Double-alloc detected: slots already allocated: {slots}.",
            slot=slots[0],
            num_bad=len(slots),
            num_slots=num_slots,
        )


class HostTokenCapacityUnaligned(PoolError, ValueError):
    """A host KV pool built with a size that is not a positive number of whole pages."""

    code = "host-token-capacity-unaligned"

    def __init__(self, size: int, page_size: int) -> None:
        super().__init__(
            "Host token capacity must be positive and page-aligned, "
            f"got {size} for page_size={page_size}",
            size=size,
            page_size=page_size,
        )


class SwaPoolTooSmall(PoolError, ValueError):
    """A sliding-window pool that cannot hold one window and the page that follows it."""

    code = "swa-pool-too-small"

    def __init__(self, swa_tokens: int, sliding_window_size: int, page_size: int) -> None:
        super().__init__(
            f"SWA pool ({swa_tokens} tokens) cannot hold even one request: the prefill admission "
            f"floor is sliding_window_size ({sliding_window_size}) + page_size ({page_size}). "
            "Increase --swa-full-tokens-ratio or the total KV budget.",
            swa_tokens=swa_tokens,
            sliding_window_size=sliding_window_size,
            page_size=page_size,
        )


class LoraRankIncompatible(PoolError, ValueError):
    """An adapter whose rank or modules the slots' buffers cannot take."""

    code = "lora-rank-incompatible"

    def __init__(self, lora_name: str, rank: int, max_lora_rank: int) -> None:
        super().__init__(
            f"LoRA adapter {lora_name} with rank {rank} is incompatible with the current LoRA "
            "memory pool configuration. Please ensure that the LoRA adapter's rank is within the "
            "configured `--max-lora-rank` and that the target modules are included in "
            "`--lora-target-modules`.",
            lora_name=lora_name,
            rank=rank,
            max_lora_rank=max_lora_rank,
        )


class LoraPinWouldStarve(PoolError, ValueError):
    """A pin that would leave no slot for unpinned adapters and the base model."""

    code = "lora-pin-would-starve"

    def __init__(self, lora_name: str, num_pinned: int, max_loras_per_batch: int) -> None:
        super().__init__(
            f"Failed to load LoRA adapter {lora_name} as a pinned adapter. It is not allowed to "
            "pin all slots in the LoRA memory pool to avoid starvation for unpinned adapters and "
            "base models. Please increase your `--max-loras-per-batch` or load it as unpinned "
            "LoRA adapters.",
            lora_name=lora_name,
            num_pinned=num_pinned,
            max_loras_per_batch=max_loras_per_batch,
        )


class LoraNoBufferSlot(PoolError, ValueError):
    """A batch of more adapters than slots, or every other slot is pinned."""

    code = "lora-no-buffer-slot"

    def __init__(self, max_loras_per_batch: int, num_wanted: int, num_pinned: int) -> None:
        super().__init__(
            "No available buffer slots found. Please ensure the number of active (pinned) loras "
            "is less than max_loras_per_batch.",
            max_loras_per_batch=max_loras_per_batch,
            num_wanted=num_wanted,
            num_pinned=num_pinned,
        )
