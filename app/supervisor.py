"""Starts the local pool host, watches it, and starts it again when it dies. Torch-free."""

import asyncio
import contextlib
import os
import signal
import sys
import time

from app.host.config import HostConfig
from app.hub.hub import Hub

TOKEN_ENV = "POOLSCOPE_HOST_TOKEN"
FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.5, 30.0
#: a host that lived this long starts the back-off afresh
HEALTHY_S = 30.0
STOP_GRACE_S = 3.0
#: exit code of a host whose workload or flags cannot be used: a restart would not help
BAD_INPUT_EXIT = 3


class Supervisor:
    """Owns the local host process. `pid` is None while there is none."""

    def __init__(self, hub: Hub, config: HostConfig, url: str, token: str) -> None:
        self.hub, self.config = hub, config
        self.restarts_total = 0
        self._url, self._token = url, token
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the running host."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def run(self) -> None:
        """Keep one host alive until cancelled."""
        backoff_s = FIRST_BACKOFF_S
        name = self.config.name
        try:
            while True:
                self.hub.set_status(name, "starting", "the pool host is starting")
                started = time.monotonic()
                process = await self._start()
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
            await self._stop()

    async def _start(self) -> asyncio.subprocess.Process:
        # OMP_NUM_THREADS before the import of torch: its pool is sized then.
        environment = {**os.environ, TOKEN_ENV: self._token, "OMP_NUM_THREADS": "1"}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "app.host",
            "--connect",
            self._url,
            "--config",
            self.config.to_json(),
            "--watch-parent",
            stdin=asyncio.subprocess.PIPE,
            env=environment,
        )
        return self._process

    async def _stop(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_GRACE_S):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

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
