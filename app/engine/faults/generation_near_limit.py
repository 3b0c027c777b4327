"""Feature slots at the end of their 31-bit generation."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault
from pools.errors import MmGenerationExhausted

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "generation-near-limit"
PROBE_BYTES = 256


def inject(driver: "Driver") -> dict[str, Any]:
    """Put every free slot at the limit, then ask for a lease.

    Raises:
        ValueError: there is no feature pool.
    """
    stage = driver.features
    if stage is None:
        raise ValueError("there is no feature pool; start with --mm-feature-cache-mb above 0")
    pool = stage.pool
    pool.set_generations(pool.book.limit)
    try:
        lease = pool.lease(PROBE_BYTES, driver.now_ns / 1e9)
    except MmGenerationExhausted as error:
        driver.raised(error, pool.name, NAME)
        return {"raised": error.code, **error.numbers}
    if lease is not None:
        pool.cancel(lease)
    return {"raised": None}


FAULT = Fault(
    name=NAME,
    title="Generations at the limit",
    look="Puts the generation of every free feature slot at 2^31 - 1, where years of reuse would "
    "bring it. The next lease raises; features take the slow path until a restart.",
    destructive=True,
    inject=inject,
)
