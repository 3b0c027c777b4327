"""The KV canary's fixed buffers, and forward passes that are marked in them."""

from collections.abc import Callable
from typing import Literal

import torch

from pools.buffers.kv_canary import CanaryCapacities, KvCanary

SLOTS = 1 << 16


def build(
    *,
    rows: int,
    max_prefill_tokens: int,
    chunked_prefill_size: int = -1,
    cuda_graph_max_bs: int = 0,
    of: Literal["requests", "tokens"],
) -> tuple[None, Callable[[int], object]]:
    """Buffers of a server with these flags.

    Amounts are requests of a decode batch, one token each, or tokens of one prompt, which chunks
    cut.

    Raises:
        KvCanaryBatchExceedsCapacity, KvCanaryTokensExceedCapacity: from the call, as the canary.
    """
    capacities = CanaryCapacities.from_args(
        rows=rows,
        max_prefill_tokens=max_prefill_tokens,
        chunked_prefill_size=chunked_prefill_size,
        cuda_graph_max_bs=cuda_graph_max_bs,
    )
    canary = KvCanary(SLOTS, capacities)

    def mark(amount: int) -> object:
        requests = amount if of == "requests" else 1
        step = chunked_prefill_size if chunked_prefill_size > 0 else amount
        for start in range(0, amount, step):
            tokens = torch.arange(start, min(start + step, amount))
            canary.write(torch.arange(requests), tokens, tokens, tokens)
        return amount

    return None, mark


BUILDER = build
