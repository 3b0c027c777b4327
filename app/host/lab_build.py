"""Cases that are over before a server runs: a pool is built as some caller builds it, then used."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from app.catalog.lab import BuildCase, LabError, Observation, PoolEnd
from app.host.lab_tally import pool_ends
from pools.base import Pool
from pools.errors import PoolError
from pools.kinds.host_logical import HostLogical
from pools.kinds.mm_feature import MmFeature

Take = Callable[[int], object]
#: dtypes and layouts of the memory that a caller brings for a feature pool
MEMORY: dict[str, Callable[[int], torch.Tensor]] = {
    "uint8": lambda nbytes: torch.zeros(nbytes, dtype=torch.uint8),
    "float16": lambda nbytes: torch.zeros(nbytes, dtype=torch.float16),
    "strided": lambda nbytes: torch.zeros(2 * nbytes, dtype=torch.uint8)[::2],
    "short": lambda nbytes: torch.zeros(nbytes - 1, dtype=torch.uint8),
}


def run_build(case: BuildCase) -> Observation:
    """Build the pool and ask it for what is offered.

    Raises:
        LabError: no such pool, or options that it does not take.
    """
    builder = BUILDERS.get(case.pool)
    if builder is None:
        raise LabError(f"no pool {case.pool!r} to build; there are: {', '.join(BUILDERS)}")
    done = 0
    raised: PoolError | None = None
    ends: tuple[PoolEnd, ...] = ()
    try:
        pool, take = builder(**case.options)
        done = sum(take(amount) is not None for amount in case.offered)
        ends = pool_ends([pool], 0.0)
    except PoolError as error:
        raised = error
    except TypeError as error:
        raise LabError(f"{case.pool}: {error}") from error
    codes = Counter([raised.code] if raised is not None else [])
    return Observation(
        offered=len(case.offered),
        offered_tokens=sum(case.offered),
        offered_key=case.offered_key,
        finished=done,
        rejected=len(case.offered) - done if raised is None else 0,
        most_at_once=done,
        codes=dict(codes),
        fatal=tuple(codes),
        messages={raised.code: str(raised)} if raised is not None else {},
        numbers={raised.code: dict(raised.numbers)} if raised is not None else {},
        pools=ends,
        pools_when="ended",
    )


def _feature_share(
    *, budget_mib: float, workers: int, consumers: int, interval_s: float = 0.05, memory: str = ""
) -> tuple[Pool, Take]:
    """The share of one tokenizer worker; `memory` names what a caller brings instead of none."""
    nbytes = int(budget_mib * 2**20) // workers
    pool = MmFeature(
        nbytes,
        consumers,
        recycle_interval_s=interval_s,
        byte_tensor=MEMORY[memory](nbytes) if memory else None,
    )
    return pool, lambda amount: pool.lease(amount, 0.0)


def _host(*, size: int, page_size: int) -> tuple[Pool, Take]:
    pool = HostLogical(size, page_size)
    return pool, pool.alloc


BUILDERS: dict[str, Callable[..., tuple[Any, Take]]] = {
    "mm_feature": _feature_share,
    "host_logical": _host,
}
