"""Starts the local pool host, watches it, and starts it again when it dies. Torch-free."""

import asyncio
import contextlib
import signal
import time

from app.host.config import HostConfig
from app.host_process import HostProcess
from app.hub.hub import Hub

FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.5, 30.0
#: a host that lived this long starts the back-off afresh
HEALTHY_S = 30.0
#: exit code of a host whose workload or flags cannot be used: a restart would not help
BAD_INPUT_EXIT = 3


class Supervisor:
    """Owns the local host process. `pid` is None while there is none."""

    def __init__(self, hub: Hub, config: HostConfig, url: str, token: str) -> None:
        self.hub, self.config = hub, config
        self.restarts_total = 0
        self._child = HostProcess(config, url, token)

    @property
    def pid(self) -> int | None:
        """Process id of the running host."""
        return self._child.pid

    async def run(self) -> None:
        """Keep one host alive until cancelled."""
        backoff_s = FIRST_BACKOFF_S
        name = self.config.name
        try:
            while True:
                self.hub.set_status(name, "starting", "the pool host is starting")
                started = time.monotonic()
                process = await self._child.start()
                code = await process.wait()
                if time.monotonic() - started > HEALTHY_S:
                    backoff_s = FIRST_BACKOFF_S
                if code == BAD_INPUT_EXIT:
                    note = "the pool host refused its workload; see the server's log"
                    self._record_death(note)
                    self.hub.set_status(name, "crashed", note)
                    return
                note = f"the pool host {_ended(code)}; restarting in {backoff_s:g} s"
                self._record_death(note)
                self.hub.set_status(name, "crashed", note)
                await asyncio.sleep(backoff_s)
                self.restarts_total += 1
                backoff_s = min(2 * backoff_s, LAST_BACKOFF_S)
        finally:
            await self._child.stop()

    def _record_death(self, note: str) -> None:
        state = self.hub.host(self.config.name)
        self.hub.tell(
            state,
            {
                "kind": "event",
                "host": state.name,
                "epoch": state.epoch,
                "t": time.time(),
                "sim_t": (state.scalars or {}).get("sim_t", 0.0),
                "pool": None,
                "level": "critical",
                "event": "alarm",
                "code": None,
                "message": note,
                "numbers": {"restarts_total": self.restarts_total},
                "href": None,
            },
        )


def _ended(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
