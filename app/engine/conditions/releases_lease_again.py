"""Someone keeps leases that are over, and releases or cancels them once more."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from pools.errors import PoolError

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from pools.structures.leases import Lease

NAME = "releases-lease-again"


def set_up(driver: "Driver", cancel: bool = False) -> None:
    """Release, or cancel, each lease again right after the recycler has freed it.

    Raises:
        ValueError: there is no feature pool.
    """
    stage = driver.features
    if stage is None:
        raise ValueError("there is no feature pool; give mm_feature_cache_mb above 0")
    pool = stage.pool
    again = pool.cancel if cancel else pool.release

    def release_again(lease: "Lease") -> None:
        try:
            again(lease)
        except PoolError as error:
            driver.raised(error, pool.name)

    stage.on_freed = release_again


CONDITION = Condition(
    name=NAME,
    text="Someone keeps an old lease, and releases or cancels it after its slot went on.",
    set_up=set_up,
)
