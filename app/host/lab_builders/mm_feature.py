"""The feature pool of one tokenizer worker."""

from collections.abc import Callable

import torch

from pools.kinds.mm_feature import MmFeature

#: memory that a caller may bring, by what is right or wrong with it
MEMORY: dict[str, Callable[[int], torch.Tensor]] = {
    "uint8": lambda nbytes: torch.zeros(nbytes, dtype=torch.uint8),
    "float16": lambda nbytes: torch.zeros(nbytes, dtype=torch.float16),
    "strided": lambda nbytes: torch.zeros(2 * nbytes, dtype=torch.uint8)[::2],
    "short": lambda nbytes: torch.zeros(nbytes - 1, dtype=torch.uint8),
}


def build(
    *, budget_mib: float, workers: int, consumers: int, interval_s: float = 0.05, memory: str = ""
) -> tuple[MmFeature, Callable[[int], object]]:
    """The share of one of `workers`; amounts are bytes.

    Args:
        budget_mib: shared by all workers, MiB.
        workers: tokenizer workers.
        consumers: ranks that acknowledge.
        interval_s: seconds between two passes of the recycler.
        memory: a key of `MEMORY`; empty: the pool brings its own.

    Raises:
        MmPoolTooSmall, MmRecycleIntervalNotPositive, MmByteTensorInvalid: as the pool does.
    """
    nbytes = int(budget_mib * 2**20) // workers
    pool = MmFeature(
        nbytes,
        consumers,
        recycle_interval_s=interval_s,
        byte_tensor=MEMORY[memory](nbytes) if memory else None,
    )
    return pool, lambda amount: pool.lease(amount, 0.0)


BUILDER = build
