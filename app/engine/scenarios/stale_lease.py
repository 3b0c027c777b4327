"""A lease that outlived its slot: released after somebody else leased it (ABA)."""

from typing import TYPE_CHECKING

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic
from pools.errors import MmLeaseInactive

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from pools.structures.leases import Lease

PHASES = (Phase(60, rate=6.0, prompt=300, output=80, image_share=0.9, image_mib=(0.5, 1, 2)),)
EVERY_S, PROBE_BYTES = 5.0, 4_096


class KeepsAnOldLease:
    """Holds on to a lease that the pool has recycled, and releases it once its slot is reused."""

    def __init__(self) -> None:
        self._next_s = EVERY_S
        self._stale: Lease | None = None

    def after_step(self, driver: "Driver") -> None:
        """Take a lease and let it go; later, release it again."""
        if driver.features is None:
            return
        pool, now_s = driver.features.pool, driver.now_ns / 1e9
        if self._stale is None:
            if now_s >= self._next_s:
                self._next_s += EVERY_S
                self._stale = pool.lease(PROBE_BYTES, now_s)
                if self._stale is not None:
                    pool.cancel(self._stale)
        elif pool.generation[self._stale.slot] > self._stale.generation:
            stale, self._stale = self._stale, None
            try:
                pool.release(stale)
            except MmLeaseInactive as error:
                driver.raised(error, pool.name, SCENARIO.name)


SCENARIO = Scenario(
    name="stale-lease",
    title="Stale lease (ABA)",
    look="A consumer keeps an old lease and releases it after its slot has gone to somebody else. "
    "Watch the release refused: slot and bytes are the same, the generation is not, and the "
    "present lease stays.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=KeepsAnOldLease,
)
