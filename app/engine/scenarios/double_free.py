"""KV pages that are freed twice."""

from typing import TYPE_CHECKING

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

if TYPE_CHECKING:
    from app.engine.driver import Driver

PHASES = (Phase(60, rate=2.5, prompt=900, output=250),)
FIRST_S, EVERY_S, PAGES, TIMES = 5.0, 10.0, 8, 3
NOBODY = -1


class FreesTwice:
    """Eight pages are freed, and freed again; three times, ten seconds apart."""

    def __init__(self) -> None:
        self._next_s, self._left = FIRST_S, TIMES

    def after_step(self, driver: "Driver") -> None:
        """Free twice when it is due and the pages are there."""
        if not self._left or driver.now_ns / 1e9 < self._next_s:
            return
        self._next_s += EVERY_S
        kv = driver.set.kv
        ids = kv.alloc(PAGES * kv.page_size, NOBODY)
        if ids is not None:
            self._left -= 1
            kv.free(ids)
            kv.free(ids)


SCENARIO = Scenario(
    name="double-free",
    title="Double free",
    look="With the checks of upstream a second free of the same pages is accepted. Watch the "
    "residual go negative: pages stand on the free list twice, and soon two requests own one.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=FreesTwice,
    server={"checks": "upstream", "hicache_ratio": 0.0},
)
