"""Commits what was raised before anyone is shown it. One worker, so that order is kept."""

import asyncio
import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from app.hub.hub import Hub
from app.hub.state import HostState
from app.incidents.incident import WORTHY, Incident
from app.incidents.recorder import Recorder
from app.incidents.store import IncidentStore
from app.incidents.window import Message, pack
from app.wire.frame import Header, encode_text

log = logging.getLogger("poolscope.incidents")

BEFORE_S, AFTER_S = 30.0, 10.0
#: an event of a topic that was raised within this time belongs to its incident
FOLD_S = 60.0
MAX_BATCH = 1_000

Result = TypeVar("Result")


@dataclass(slots=True)
class Batch:
    """What one commit writes: new incidents with their windows, and counts for old ones."""

    opened: list[tuple[Incident, list[Message]]] = field(default_factory=list)
    folded: dict[str, tuple[float, int]] = field(default_factory=dict)
    shown: list[tuple[HostState, Header]] = field(default_factory=list)


class Keeper:
    """The hub's `EventKeeper`: storms are folded, windows recorded, events shown when committed."""

    def __init__(self, hub: Hub, path: Path) -> None:
        """Open the incident file beside the other state.

        Raises:
            NewerFile, sqlite3.DatabaseError: see `IncidentStore`.
        """
        self.store = IncidentStore(path)
        #: why incidents are not being kept just now; empty when they are
        self.problem = ""
        self._hub = hub
        self._recorders: dict[str, Recorder] = {}
        self._recent: dict[tuple[Any, ...], tuple[str, float]] = {}
        self._queue: asyncio.Queue[tuple[HostState, Header]] = asyncio.Queue()
        self._busy = False
        self._closing: set[asyncio.Task[None]] = set()
        self._thread = ThreadPoolExecutor(1, "incidents")

    def note(self, state: HostState, message: Message, *, whole: bool) -> None:
        """A frame was applied to `state`."""
        recorder = self._recorders.get(state.name)
        if recorder is None:
            recorder = self._recorders[state.name] = Recorder(state, BEFORE_S)
        recorder.note(message, whole=whole)

    def take(self, state: HostState, event: Header) -> None:
        """An event came: show it, at once when it need not be kept and nothing is before it."""
        if event["level"] not in WORTHY and not self._busy and self._queue.empty():
            self._show(state, event)
        else:
            self._queue.put_nowait((state, event))

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            taken = [await self._queue.get()]
            self._busy = True
            while len(taken) < MAX_BATCH and not self._queue.empty():
                taken.append(self._queue.get_nowait())
            await self._work(taken)
            self._busy = False

    async def ask(self, call: Any, *args: Any) -> Any:  # noqa: ANN401 - any method of the store
        """Run a method of the store on its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *args)

    async def close(self) -> None:
        """Write what is left, with what followed so far, and close the file."""
        while not self._queue.empty():
            await self._work([self._queue.get_nowait()])
        for task in self._closing:
            task.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self.ask(self.store.close)
        self._thread.shutdown()

    async def _work(self, taken: list[tuple[HostState, Header]]) -> None:
        batch = Batch()
        for state, event in taken:
            self._sort_in(batch, state, event)
        try:
            await self.ask(self._commit, batch)
            self.problem = ""
        except (sqlite3.Error, OSError) as error:
            # What is raised must be seen even when it cannot be kept; the page says that it is not.
            self.problem = f"incidents are not being stored: {error}"
            log.error("%s", self.problem)
            for incident, _ in batch.opened:
                self._recent.pop(incident.topic, None)
        for state, event in batch.shown:
            self._show(state, event)
        for incident, _ in batch.opened:
            task = asyncio.create_task(self._follow(incident))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _sort_in(self, batch: Batch, state: HostState, event: Header) -> None:
        if event["level"] in WORTHY:
            incident = Incident.of(event, state.scalars)
            id_, last_t = self._recent.get(incident.topic, ("", 0.0))
            if id_ and 0 <= incident.opened_t - last_t < FOLD_S:
                _, more = batch.folded.get(id_, (0.0, 0))
                batch.folded[id_] = (incident.opened_t, more + 1)
            else:
                id_ = incident.id
                recorder = self._recorders.get(state.name)
                frames = recorder.window(BEFORE_S) if recorder else []
                batch.opened.append((incident, frames))
            self._recent[incident.topic] = (id_, incident.opened_t)
            event = {**event, "incident": id_}
        batch.shown.append((state, event))

    def _commit(self, batch: Batch) -> None:
        for incident, frames in batch.opened:
            self.store.open(incident, pack(frames) if frames else None)
        for id_, (last_t, more) in batch.folded.items():
            self.store.fold(id_, last_t, more)

    async def _follow(self, incident: Incident) -> None:
        then = time.time()
        try:
            await asyncio.sleep(AFTER_S)
        finally:
            recorder = self._recorders.get(incident.host)
            frames = recorder.since(then) if recorder else []
            self._thread.submit(self._add_after, incident.id, frames)

    def _add_after(self, id_: str, frames: list[Message]) -> None:
        try:
            self.store.add_after(id_, pack(frames))
        except sqlite3.Error as error:
            log.error("what followed incident %s is not stored: %s", id_, error)

    def _show(self, state: HostState, event: Header) -> None:
        shown = self._hub.show(state, event)
        recorder = self._recorders.get(state.name)
        if recorder is not None:
            recorder.note(encode_text(shown))
