"""Feature slots reach the end of their 31-bit generation."""

from typing import TYPE_CHECKING

from app.engine.scenario import Scenario, mark
from app.engine.traffic import Phase, Traffic

if TYPE_CHECKING:
    from app.engine.driver import Driver

#: small images, many of them: each lease takes a slot one generation further
PHASES = (
    Phase(
        60,
        100.0,
        prompt=64,
        output=12,
        sessions=3_000,
        system_tokens=256,
        image_share=1.0,
        image_mib=(0.02, 0.05),
    ),
)
AT_S, EVERY_S, TIMES, LEASES_LEFT = 2.0, 1.0, 5, 1


class Accelerated:
    """Puts every free slot one lease before the limit, where years of reuse would bring it.

    Slots that are leased just then are caught when they are free again.
    """

    def __init__(self) -> None:
        self._due_s, self._left = AT_S, TIMES

    def after_step(self, driver: "Driver") -> None:
        """When it is due and there is a feature pool."""
        if not self._left or driver.now_ns / 1e9 < self._due_s or driver.features is None:
            return
        if self._left == TIMES:
            text = f"The clock of wear is put forward: {LEASES_LEFT} lease left in every free slot."
            mark(driver, "accelerated", text)
        self._left -= 1
        self._due_s += EVERY_S
        pool = driver.features.pool
        pool.set_generations(pool.book.limit - LEASES_LEFT)


SCENARIO = Scenario(
    name="generation-wrap",
    title="Generations run out",
    look="Every feature slot has one lease left before its 31-bit generation ends; a lease that "
    "would wrap could be mistaken for an old one. Watch used slots retire one by one, then the "
    "lease that raises; from there on features take the slow path.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=Accelerated,
)
