"""The hub: host states, the tick that wakes viewers, and commands on their way to a host."""

import asyncio
import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.hub.state import HostState
from app.hub.verdict import Steady
from app.wire.frame import Header, encode_text

log = logging.getLogger("poolscope.hub")

HISTORY_BYTES = 256 << 20
COMMAND_TIMEOUT_S = 30.0
#: a host's event codes are counted for /metrics under at most this many names
MAX_HOSTS = 64
#: the lab's host: a try is no incident, and never what someone means who names no host
LAB = "lab"

Send = Callable[[str], Any]


class HostUnavailable(RuntimeError):
    """No host by that name is connected; the text says what is."""


class CommandRefused(RuntimeError):
    """The host refused a command; `problem` is its title and detail."""

    def __init__(self, problem: Header) -> None:
        super().__init__(str(problem.get("detail", "")))
        self.problem = problem


class EventKeeper(Protocol):
    """Sees frames and events before viewers do, and shows events when they are safe."""

    def note(self, state: HostState, message: bytes | str, *, whole: bool) -> None:
        """A frame was applied; `whole` when it replaced the state."""
        ...

    def take(self, state: HostState, event: Header) -> None:
        """An event came; it is shown by `Hub.show`."""
        ...


@dataclass(slots=True)
class HostLine:
    """A connected host's side of the wire."""

    send: Send
    waiting: dict[int, asyncio.Future[Header]] = field(default_factory=dict)


class Hub:
    """Owned by one event loop; nothing here blocks."""

    def __init__(self) -> None:
        self.hosts: dict[str, HostState] = {}
        self.lines: dict[str, HostLine] = {}
        self.verdicts: dict[str, Steady] = {}
        self.keeper: EventKeeper | None = None
        self.viewers = 0
        self.frames_total: dict[str, int] = {}
        #: counts changes, so that a viewer that slept knows it missed one
        self.ticks = 0
        self._tick = asyncio.Event()
        self._ids = itertools.count(1)

    def host(self, name: str) -> HostState:
        """The state of a host, made at first sight.

        Raises:
            HostUnavailable: too many hosts.
        """
        if name not in self.hosts:
            if len(self.hosts) >= MAX_HOSTS:
                raise HostUnavailable(
                    f"{MAX_HOSTS} hosts are known already; restart to forget them"
                )
            self.hosts[name] = HostState(name, HISTORY_BYTES // 4)
            self.verdicts[name] = Steady()
        return self.hosts[name]

    @property
    def watched(self) -> list[HostState]:
        """Every host but the lab: what sums, metrics and alarms are about."""
        return [state for name, state in self.hosts.items() if name != LAB]

    def default_host(self) -> HostState | None:
        """`local` if it is there, else the first that is watched."""
        return self.hosts.get("local") or next(iter(self.watched), None)

    def forget(self, name: str) -> None:
        """A host that ended and was meant to: nothing of it is shown any more."""
        self.hosts.pop(name, None)
        self.verdicts.pop(name, None)
        self.notify()

    def notify(self) -> None:
        """Something changed: wake every viewer that waits."""
        self.ticks += 1
        self._tick.set()
        self._tick = asyncio.Event()

    async def changed(self, seen: int, timeout_s: float) -> bool:
        """Wait until `ticks` has moved past `seen`, at most `timeout_s`; whether it did."""
        if self.ticks != seen:
            return True
        try:
            async with asyncio.timeout(timeout_s):
                await self._tick.wait()
        except TimeoutError:
            return False
        return True

    def tell(self, state: HostState, event: Header) -> None:
        """An event came: viewers see it as soon as the keeper, if there is one, has it."""
        if self.keeper is None or state.name == LAB:
            self.show(state, event)
        else:
            self.keeper.take(state, event)

    def show(self, state: HostState, event: Header) -> Header:
        """Viewers see an event now. Returns it with its event_seq."""
        shown = state.apply_event(event)
        if shown["level"] in ("error", "critical") and state.name != LAB:
            first_line = shown["message"].partition("\n")[0]
            log.warning("%s %s: %s", state.name, shown["code"], first_line)
        self.notify()
        return shown

    def set_status(self, name: str, status: str, note: str = "") -> None:
        """What the supervisor or the connection knows: starting, crashed, restarting, ..."""
        state = self.host(name)
        state.status, state.note = status, note
        self.notify()

    async def command(self, name: str, command: str, args: Header) -> Header:
        """Ask a host to do something and wait for its answer.

        Raises:
            HostUnavailable: not connected, or no answer in 30 s.
            CommandRefused: the host says why.
        """
        line = self.lines.get(name)
        if line is None:
            known = ", ".join(self.lines) or "none"
            raise HostUnavailable(f"host {name!r} is not connected; connected: {known}")
        number = next(self._ids)
        future: asyncio.Future[Header] = asyncio.get_running_loop().create_future()
        line.waiting[number] = future
        try:
            await line.send(
                encode_text({"kind": "command", "id": number, "name": command, "args": args})
            )
            async with asyncio.timeout(COMMAND_TIMEOUT_S):
                reply = await future
        except TimeoutError as error:
            raise HostUnavailable(
                f"host {name!r} took the command but did not answer in {COMMAND_TIMEOUT_S:.0f} s"
            ) from error
        finally:
            line.waiting.pop(number, None)
        if not reply.get("ok"):
            raise CommandRefused(
                reply.get("problem") or {"title": "Refused", "detail": "no reason"}
            )
        result: Header = reply.get("result") or {}
        return result
