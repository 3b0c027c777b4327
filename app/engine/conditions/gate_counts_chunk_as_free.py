"""Between two chunks of a prompt the gate takes its row for a free one."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver") -> None:
    """While a prompt is in chunks, promise one row more than there is, to one request more."""

    def rows(limit: int, used: int, free: int) -> int:
        promised = int(driver.scheduler.prefill.chunked is not None)
        return max(min(limit - used, free) + promised, 0)

    driver.rules.rows = rows


CONDITION = Condition(
    name="gate-counts-chunk-as-free",
    text="Between two chunks of a prompt the gate takes the row of that prompt for a free one.",
    set_up=set_up,
)
