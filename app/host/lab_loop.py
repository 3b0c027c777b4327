"""The lab's host: the same program and the same stream, driven by the catalog's cases.

Between two cases it does nothing. While one runs, its pools are the host's pools, so that a page
shows them like any other's.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from app.catalog.catalog import CATALOG
from app.catalog.cause import Cause
from app.catalog.lab import SMALL_SERVER, LabError, Observation
from app.catalog.outcome import reproduced
from app.catalog.proofs import causes_of
from app.catalog.prove import try_remedy
from app.engine.driver import Driver
from app.engine.workload import Workload
from app.host.commands import Args, CommandError, Handler
from app.host.config import HostConfig
from app.host.lab import EngineLab
from app.host.loop import Choice, HostLoop

LESS_URGENT = 5


class LabLoop(HostLoop):
    """Answers `reproduce {code, cause}` and `try {code, cause, remedy}`."""

    def __init__(self, config: HostConfig, url: str, token: str) -> None:
        super().__init__(replace(config, server=SMALL_SERVER), url, token)
        self._lab = EngineLab(self._watch, self._on_event)

    def run(self) -> None:
        """Serve, behind the watched host where the two want the same core."""
        if hasattr(os, "nice"):
            os.nice(LESS_URGENT)
        super().run()

    def reproduce(self, args: Args) -> Args:
        """Run one cause.

        Raises:
            CommandError: no such error or cause.
        """
        code, cause = _asked(args)
        seen = self._carry_out(lambda: cause.reproduce(self._lab, code))
        return {
            "code": code,
            "cause": cause.name,
            "reproduced": reproduced(code, seen),
            "before": asdict(seen),
        }

    def try_remedy(self, args: Args) -> Args:
        """Run one cause, then the same requests with a remedy taken.

        Raises:
            CommandError: no such error, cause or remedy, or a cause that does not reproduce.
        """
        code, cause = _asked(args)
        tries = {one.remedy: one for one in cause.tries}
        one = tries.get(str(args.get("remedy")))
        if one is None:
            detail = f"remedy {args.get('remedy')!r} is none of {', '.join(tries)}"
            raise CommandError("Unknown remedy", detail)
        before = self._carry_out(lambda: cause.reproduce(self._lab, code))
        if not reproduced(code, before):
            raise CommandError("Not reproduced", f"{cause.name} does not show {code} here")
        result = self._carry_out(lambda: try_remedy(self._lab, code, cause, one, before))
        return {
            "code": code,
            "cause": cause.name,
            "remedy": one.remedy,
            "status": result.outcome.status,
            "why": result.outcome.why,
            "values": result.values,
            "before": asdict(before),
            "after": asdict(result.after),
        }

    handlers: Mapping[str, Handler] = {"reproduce": reproduce, "try": try_remedy}

    def _carry_out(self, run: Any) -> Any:  # noqa: ANN401 - whatever `run` gives
        try:
            found: Observation = run()
        except LabError as error:
            raise CommandError("The lab could not run it", str(error)) from error
        finally:
            self.driver_done = True
            self._next_sample_s = 0.0
        return found

    def _build(self, choice: Choice) -> Driver:
        from app.sizing.plan import resolve

        idle = Workload("lab", "synthetic", 0, lambda: iter(()), {"title": "Lab"})
        driver = Driver(resolve(self.config.server), idle, on_event=self._on_event)
        self.driver_done = True
        self.probe = self._probe_for(driver)
        return driver

    def _watch(self, driver: Driver) -> None:
        if driver is not self.driver:
            self.driver, self.probe = driver, self._probe_for(driver)
            self.driver_done = False
            self._seen_connections = -1
        self.beat_s = time.monotonic()
        self._sample_if_due()


def _asked(args: Args) -> tuple[str, Cause]:
    entry = CATALOG.get(str(args.get("code")))
    causes = {one.name: one for one in causes_of(entry.code)} if entry is not None else {}
    if entry is None or not causes:
        detail = f"{args.get('code')!r} has no cause that can be reproduced here"
        raise CommandError("Cannot be reproduced", detail)
    name = args.get("cause") or next(iter(causes))
    if name not in causes:
        raise CommandError("Unknown cause", f"cause {name!r} is none of {', '.join(causes)}")
    return entry.code, causes[name]
