"""Invariants: conservation of every pool after each batch, a full audit now and then."""

from typing import TYPE_CHECKING

from app.wire.event import EngineEvent
from pools.errors import IntegrityError

if TYPE_CHECKING:
    from app.engine.driver import Driver

AUDIT_EVERY = 1_000


class Watch:
    """Counts checks and violations; the first violation of a pool is an event."""

    def __init__(self, driver: "Driver") -> None:
        self._driver = driver
        self.checked = self.violations = self._batches = 0
        self._known: dict[str, int] = {}

    def after_step(self) -> None:
        """O(1) conservation of each pool; every 1,000 batches every book against every other."""
        for name, pool in self._driver.pools.items():
            self.checked += 1
            leaked = pool.residual()
            if leaked != self._known.get(name, 0):
                self._known[name] = leaked
                self._violated(name, f"{name}: {leaked} are accounted for by no book", leaked)
        self._batches += 1
        if self._batches % AUDIT_EVERY == 0:
            self.audit()

    def audit(self) -> None:
        """O(capacity): every pool audits itself."""
        for name, pool in self._driver.pools.items():
            self.checked += 1
            try:
                pool.audit()
            except IntegrityError as error:
                self._violated(name, f"{name}: {error}", 0)

    def _violated(self, name: str, message: str, leaked: int) -> None:
        self.violations += 1
        self._driver.emit(
            EngineEvent(
                level="error",
                kind="alarm",
                pool=name,
                code=IntegrityError.code,
                message=message,
                sim_t=self._driver.now_ns / 1e9,
                numbers={"leaked": leaked},
            )
        )
