"""A feature pool that is years old."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver", left: int) -> None:
    """Put every slot's generation `left` short of the limit of 2^31 - 1.

    Raises:
        ValueError: there is no feature pool.
    """
    features = driver.set.features
    if features is None:
        raise ValueError("there is no feature pool; give mm_feature_cache_mb above 0")
    features.set_generations(features.book.limit - left)


CONDITION = Condition(
    name="worn-slots",
    text="Every slot of the feature pool has been leased nearly 2^31 times.",
    set_up=set_up,
)
