"""Coded errors of the pools: upstream's message text and base class, plus `.code` and `.numbers`.

`code` is the catalog's code (`app/catalog/entries/<code with underscores>.py`). `.numbers` holds
every figure that the message names, and those a diagnosis needs beside them, as plain ints.

Three outcomes, three shapes: *not now* is `None`; *misuse* is a `PoolError`; a *broken invariant*
is an `IntegrityError`. A call that raises has changed nothing.
"""

from typing import ClassVar

Number = int | float | str


class PoolError(Exception):
    """An allocation or a call that the pool refuses.

    Attributes:
        code: the catalog's code, kebab-case.
        numbers: figures that decide, by name; values are plain Python numbers (or short strings).
    """

    code: ClassVar[str] = "pool-error"

    def __init__(self, message: str, **numbers: Number) -> None:
        super().__init__(message)
        self.numbers: dict[str, Number] = numbers


class IntegrityError(PoolError):
    """A pool's independent books disagree: a bug in the pool, never the caller's fault."""

    code = "pool-integrity-broken"


class ReqSlotsExhausted(PoolError, RuntimeError):
    """Fewer free rows than new requests. Mirrors sglang mem_cache/allocation.py alloc_req_slots."""

    code = "alloc-req-slots-exhausted"

    def __init__(self, available_size: int, num_reqs: int) -> None:
        super().__init__(
            "alloc_req_slots runs out of memory. "
            "Please set a smaller number for `--max-running-requests`. "
            f"req_to_token_pool.available_size()={available_size}, num_reqs={num_reqs}, ",
            available_size=available_size,
            num_reqs=num_reqs,
        )


class _KvOutOfMemory(PoolError, RuntimeError):
    """Shared shape of the three token-pool messages; the tail lists what could be reclaimed."""

    lead: ClassVar[str]

    def __init__(self, need_tokens: int, available_tokens: int, evictable_tokens: int) -> None:
        super().__init__(
            f"{self.lead} Try to lower your batch size.\n"
            f"Try to allocate {need_tokens} tokens.\n"
            f"Available tokens: {available_tokens + evictable_tokens} "
            f"(available_size={available_tokens} + evictable_size={evictable_tokens})\n",
            need_tokens=need_tokens,
            available_tokens=available_tokens,
            evictable_tokens=evictable_tokens,
        )


class KvTokenOutOfMemory(_KvOutOfMemory):
    """Page size 1: `alloc_token_slots` found too few tokens after eviction."""

    code = "kv-token-alloc-oom"
    lead = "Out of memory."


class KvPrefillOutOfMemory(_KvOutOfMemory):
    """Paged prefill: `alloc_extend` returned None after eviction."""

    code = "kv-prefill-oom"
    lead = "Prefill out of memory."


class KvDecodeOutOfMemory(_KvOutOfMemory):
    """Paged decode: `alloc_decode` returned None after eviction."""

    code = "kv-decode-oom"
    lead = "Decode out of memory."


class HostAllocUnaligned(PoolError, ValueError):
    """A host allocation that is no multiple of the page; tested before capacity."""

    code = "logical-host-alloc-unaligned"

    def __init__(self, need_size: int, page_size: int) -> None:
        super().__init__(
            "LogicalHostPool allocation must be page-aligned, "
            f"got need_size={need_size}, page_size={page_size}",
            need_size=need_size,
            page_size=page_size,
        )


class HostFreeUnaligned(PoolError, ValueError):
    """A host free whose number of indices is no multiple of the page."""

    code = "logical-host-free-unaligned"

    def __init__(self, num_indices: int, page_size: int) -> None:
        super().__init__(
            "LogicalHostPool free must be page-aligned, "
            f"got len(indices)={num_indices}, page_size={page_size}",
            num_indices=num_indices,
            page_size=page_size,
        )


class HostSizeUnaligned(PoolError, ValueError):
    """A host pool built with a size that is no multiple of the page."""

    code = "logical-host-size-unaligned"

    def __init__(self, size: int, page_size: int) -> None:
        super().__init__(
            f"LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}",
            size=size,
            page_size=page_size,
        )


class HostTransferSizeMismatch(PoolError, ValueError):
    """A copy between host and device whose two sides differ in length."""

    code = "host-transfer-size-mismatch"

    def __init__(self, pool_name: str, host_indices: int, device_indices: int) -> None:
        super().__init__(
            f"{pool_name} transfer index size mismatch: "
            f"host={host_indices}, device={device_indices}",
            host_indices=host_indices,
            device_indices=device_indices,
        )


class MmGenerationExhausted(PoolError, RuntimeError):
    """No free feature slot is below the generation limit."""

    code = "mm-slot-generation-exhausted"

    def __init__(self, transport_name: str, slot: int, generation: int, limit: int) -> None:
        super().__init__(
            f"{transport_name} pool slot generation exhausted",
            slot=slot,
            generation=generation,
            limit=limit,
        )


class MmPoolTooSmall(PoolError, ValueError):
    """The feature pool's memory does not even hold its control words."""

    code = "mm-pool-too-small-control"

    def __init__(self, transport_name: str, memory_size: int, data_start: int) -> None:
        super().__init__(
            f"{transport_name} pool is too small after control metadata: "
            f"pool={memory_size}, control={data_start}",
            memory_size=memory_size,
            data_start=data_start,
        )


class MmByteTensorInvalid(PoolError, ValueError):
    """The backing tensor is not a contiguous uint8 tensor of at least memory_size on the device."""

    code = "mm-byte-tensor-invalid"

    def __init__(self, device_name: str, **numbers: Number) -> None:
        super().__init__(
            f"byte_tensor must be a sufficiently large contiguous uint8 tensor on {device_name}",
            **numbers,
        )


class MmRecycleIntervalNotPositive(PoolError, ValueError):
    """A recycle interval of zero or less."""

    code = "mm-recycle-interval-not-positive"

    def __init__(self, recycle_interval: float) -> None:
        super().__init__("recycle_interval must be positive", recycle_interval=recycle_interval)


class MmLeaseInactive(PoolError, RuntimeError):
    """A lease released that is not the one registered for its slot (released, or leased again)."""

    code = "mm-lease-release-inactive"

    def __init__(self, transport_name: str, slot: int, generation: int) -> None:
        super().__init__(
            f"Cannot release inactive {transport_name} pool lease "
            f"(slot={slot}, generation={generation})",
            slot=slot,
            generation=generation,
        )


class MmLeaseCancelInactive(PoolError, RuntimeError):
    """A lease cancelled that is not the one registered for its slot."""

    code = "mm-lease-cancel-inactive"

    def __init__(self, transport_name: str, slot: int, generation: int) -> None:
        super().__init__(
            f"Cannot cancel inactive {transport_name} pool lease "
            f"(slot={slot}, generation={generation})",
            slot=slot,
            generation=generation,
        )


class DoubleFree(PoolError, ValueError):
    """Strict checks: a unit freed that is free already, or twice within one call."""

    code = "pool-double-free"


class ForeignIndex(PoolError, ValueError):
    """Strict checks: an index that the pool does not hold, or that belongs to someone else."""

    code = "pool-foreign-index"


class InvalidSize(PoolError, ValueError):
    """Strict checks: a negative or otherwise impossible size."""

    code = "pool-invalid-size"


class MemoryCorrupted(IntegrityError):
    """Memory read back differs from what was written: a wrong index reached the buffer."""

    code = "pool-memory-corrupted"
