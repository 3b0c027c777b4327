"""A slow consumer leaves holes in the feature pool."""

from typing import TYPE_CHECKING

from app.engine.faults import fault
from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

if TYPE_CHECKING:
    from app.engine.driver import Driver

PHASES = (Phase(60, rate=5.0, prompt=400, output=120, image_share=0.9, image_mib=(1, 2, 3, 5, 44)),)
EVERY_S, SILENT_S = 12.0, 8.0


class SlowConsumer:
    """Consumer 1 holds back every second acknowledgement for eight seconds of every twelve."""

    def __init__(self) -> None:
        self._next_s = 3.0

    def after_step(self, driver: "Driver") -> None:
        """Silence it when its time has come."""
        if driver.now_ns / 1e9 >= self._next_s:
            self._next_s += EVERY_S
            fault("silent-consumer").inject(driver, consumer=1, seconds=SILENT_S, share=0.5)


SCENARIO = Scenario(
    name="feature-fragmented",
    title="Feature pool fragmented",
    look="Large images while one consumer is slow to acknowledge. Watch the byte ruler: free bytes "
    "are plenty, yet no hole is large enough.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=SlowConsumer,
)
