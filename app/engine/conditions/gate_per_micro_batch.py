"""Each micro batch of a pipeline budgets rows as though it owned the pool."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver", batches: int) -> None:
    """Promise every free row once per micro batch.

    What runs is spread evenly over the micro batches, and each one subtracts its own share only.
    """
    driver.rules.rows = lambda limit, used, free: max(limit - used // batches, 0)


CONDITION = Condition(
    name="gate-per-micro-batch",
    text="Each micro batch of a pipeline budgets rows as though it owned the pool.",
    set_up=set_up,
)
