"""Coded errors of the small fixed buffers: the canary's, a prefill server's metadata, the gather.

Same shape as `pools.errors`: upstream's text and base class, `.code` and `.numbers`.
"""

from pools.errors import PoolError


class KvCanaryBatchExceedsCapacity(PoolError, RuntimeError):
    """A batch of more requests than the canary has marks for."""

    code = "kv-canary-batch-exceeds-capacity"

    def __init__(self, batch_size: int, write_req_capacity: int) -> None:
        super().__init__(
            f"kv-canary: forward_batch.batch_size={batch_size} exceeds pre-allocated "
            f"write_req_capacity={write_req_capacity}; raise --cuda-graph-max-bs-decode or check "
            "CanaryLaunchCapacities.from_args",
            batch_size=batch_size,
            write_req_capacity=write_req_capacity,
        )


class KvCanaryTokensExceedCapacity(PoolError, RuntimeError):
    """A batch of more tokens than the canary has marks for."""

    code = "kv-canary-tokens-exceed-capacity"

    def __init__(self, num_tokens: int, write_entry_capacity: int) -> None:
        super().__init__(
            f"kv-canary: forward_batch token count={num_tokens} exceeds pre-allocated "
            f"write_entry_capacity={write_entry_capacity}; raise --chunked-prefill-size / "
            "--max-prefill-tokens or check CanaryLaunchCapacities.from_args",
            num_tokens=num_tokens,
            write_entry_capacity=write_entry_capacity,
        )


class PdTopLogprobsExceedsMetadata(PoolError, RuntimeError):
    """More top logprobs of a first token than a row of the metadata buffer holds."""

    code = "pd-top-logprobs-exceeds-metadata"

    def __init__(self, top_logprobs_num: int, capacity: int) -> None:
        super().__init__(
            f"top_logprobs_num {top_logprobs_num} exceeds disaggregation metadata capacity "
            f"{capacity}. Lower top_logprobs_num or increase the metadata buffer.",
            top_logprobs_num=top_logprobs_num,
            capacity=capacity,
        )


class DflashReqToTokenEmpty(PoolError, RuntimeError):
    """A gather from a request table without columns."""

    code = "dflash-req-to-token-empty"

    def __init__(self, context: str) -> None:
        super().__init__(
            f"{context} req_to_token table is empty but gather mask is non-empty.",
            context=context,
        )


class DflashGatherShape(PoolError, RuntimeError):
    """Positions of a gather that are not two-dimensional, or a mask of another shape."""

    code = "dflash-gather-shape"

    def __init__(
        self, context: str, positions: tuple[int, ...], mask: tuple[int, ...] | None
    ) -> None:
        super().__init__(
            f"{context} expected 2D positions, got shape={positions}."
            if mask is None
            else f"{context} mask/position shape mismatch: {mask} vs {positions}.",
            context=context,
            positions=str(positions),
            mask=str(mask),
        )
