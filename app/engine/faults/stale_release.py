"""A lease that is released after its slot was leased again (ABA)."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault
from pools.errors import MmLeaseInactive, PoolError

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "stale-release"
PROBE_BYTES = 4_096


def inject(driver: "Driver") -> dict[str, Any]:
    """Lease, release, and release the same lease again.

    Raises:
        ValueError: there is no feature pool, or no lease to be had in it now.
    """
    stage = driver.features
    if stage is None:
        raise ValueError("there is no feature pool; start with --mm-feature-cache-mb above 0")
    pool, now_s = stage.pool, driver.now_ns / 1e9
    try:
        stale = pool.lease(PROBE_BYTES, now_s)
    except PoolError as error:
        driver.raised(error, pool.name, NAME)
        return {"raised": error.code, **error.numbers}
    if stale is None:
        raise ValueError(f"the feature pool has no lease to give: {pool.last_failure}")
    pool.release(stale)
    try:
        pool.release(stale)
    except MmLeaseInactive as error:
        driver.raised(error, pool.name, NAME)
        return {"raised": error.code, **error.numbers}
    return {"raised": None}


FAULT = Fault(
    name=NAME,
    title="Stale release",
    look="Releases a lease twice, as a consumer does that kept an old one. The generation tells "
    "the stale lease from the slot's present one, and the release is refused.",
    destructive=False,
    inject=inject,
)
