"""The lab's host process: started on first use, ended when nobody has used it for a while.

It is a process beside the watched host's, so a try can neither stall nor kill what is watched.
"""

import asyncio
import contextlib

from app.host.config import HostConfig
from app.host_process import HostProcess
from app.hub.hub import LAB, HostUnavailable, Hub
from app.wire.frame import Header

START_S = 30.0
IDLE_S = 120.0
#: tries that may wait for the one that runs
MAX_WAITING = 8


class LabProcess:
    """Runs one request at a time. `pid` is None while the lab is not running."""

    def __init__(self, hub: Hub, url: str, token: str, *, idle_s: float = IDLE_S) -> None:
        self.hub, self.idle_s = hub, idle_s
        self._child = HostProcess(HostConfig(name=LAB, lab=True), url, token)
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._ending: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the lab while it runs."""
        return self._child.pid

    async def ask(self, command: str, args: Header) -> Header:
        """Have the lab do something; starts it if need be.

        Raises:
            HostUnavailable: it did not start, died, took too long, or too many wait for it.
            CommandRefused: the lab says why.
        """
        if self._waiting >= MAX_WAITING:
            raise HostUnavailable(f"{MAX_WAITING} tries wait for the lab already; try again soon")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._ask(command, args)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the lab, if it runs, and forget it."""
        if self._ending is not None:
            self._ending.cancel()
        await self._end()

    async def _ask(self, command: str, args: Header) -> Header:
        if self._ending is not None:
            self._ending.cancel()
        await self._be_there()
        try:
            return await self.hub.command(LAB, command, args)
        except HostUnavailable:
            # Dead, or still at it after the time that is allowed: the next one starts afresh.
            await self._end()
            raise
        finally:
            self._ending = asyncio.create_task(self._end_when_idle(), name="lab-idle")

    async def _be_there(self) -> None:
        if self.pid is None:
            await self._end()
            self.hub.set_status(LAB, "starting", "the lab is starting")
            await self._child.start()
        try:
            async with asyncio.timeout(START_S):
                while LAB not in self.hub.lines:
                    if self.pid is None:
                        await self._end()
                        raise HostUnavailable("the lab did not start; see the server's log")
                    await self.hub.changed(self.hub.ticks, 0.1)
        except TimeoutError as error:
            await self._end()
            raise HostUnavailable(f"the lab did not start within {START_S:.0f} s") from error

    async def _end_when_idle(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(self.idle_s)
            await self._end()

    async def _end(self) -> None:
        await self._child.stop()
        # Its connection is noticed as closed a moment after it ended.
        for _ in range(50):
            if LAB not in self.hub.lines:
                break
            await asyncio.sleep(0.02)
        self.hub.forget(LAB)
