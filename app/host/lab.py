"""The lab: carries out the catalog's cases with the real engine and the real pools.

Nothing here knows an error by name. A case says what is built, what is wrong and what is offered;
the lab runs it to its end or its death and counts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.catalog.lab import BuildCase, Case, LabError, Observation, ServerCase
from app.engine.conditions import condition
from app.engine.driver import Driver
from app.engine.workload import Workload
from app.host.lab_build import run_build
from app.host.lab_tally import LabTally
from app.sizing.plan import resolve
from app.sizing.server_args import FlagError
from pools.errors import PoolError

if TYPE_CHECKING:
    from app.wire.event import EngineEvent

#: scheduler iterations after which a case counts as one without an end
MAX_STEPS = 60_000

#: called with the driver of a case before its first step, after each step and at its end
Watch = Callable[[Driver], None]


class EngineLab:
    """Implements `app.catalog.lab.Lab`.

    Args:
        watch: sees the driver of each server case while it runs, for a host that streams it.
        on_event: is told what the engine says, likewise.
    """

    def __init__(
        self,
        watch: Watch | None = None,
        on_event: "Callable[[EngineEvent], None] | None" = None,
    ) -> None:
        self._watch, self._on_event = watch, on_event

    def run(self, case: Case, code: str = "") -> Observation:
        """See `app.catalog.lab.Lab.run`."""
        if isinstance(case, BuildCase):
            return run_build(case)
        return self._serve(case, code)

    def _serve(self, case: ServerCase, code: str) -> Observation:
        tally = LabTally(case, code, self._on_event)
        workload = Workload(
            "lab", "synthetic", len(case.offered), lambda: iter(case.offered), {"title": "Lab"}
        )
        try:
            plan = resolve(case.server)
        except FlagError as error:
            tally.refused(str(error))
            return tally.observation(None)
        tally.started(plan)
        try:
            driver = Driver(plan, workload, on_event=tally.note)
        except PoolError as error:
            tally.raised(error)
            return tally.observation(None)
        tally.driver = driver
        self._to_the_end(driver, case, tally)
        return tally.observation(driver)

    def _to_the_end(self, driver: Driver, case: ServerCase, tally: LabTally) -> None:
        try:
            for name, params in case.conditions:
                condition(name).set_up(driver, **params)
        except PoolError as error:
            driver.raised(error, driver.set.slots.name)
            return
        except (TypeError, ValueError) as error:
            raise LabError(f"condition {name}: {error}") from error
        for _ in range(MAX_STEPS):
            if self._watch is not None:
                self._watch(driver)
            try:
                going = driver.step()
            except PoolError:
                return  # the engine has said which; serving would be dead now
            tally.after_step(driver)
            if not going:
                return
        raise LabError(f"the case did not end in {MAX_STEPS:,} iterations: {driver.stats()}")
