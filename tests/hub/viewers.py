"""A viewer as a browser is one, and a hub with one tiny host to view."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from app.hub.broadcast import Broadcast, Viewer
from app.hub.hub import Hub
from app.hub.ingest import Ingest
from app.hub.subscription import Subscription
from app.wire.frame import decode
from tests.hub.hosts import CELLS, TinyHost


class Screen:
    """What a browser would hold: applies keyframes and deltas, refuses a wrong base."""

    def __init__(self) -> None:
        self.state = np.full(CELLS, 255, np.uint8)
        self.seq = -1
        self.kinds: list[str] = []
        self.words: list[str] = []
        self.events: list[dict[str, Any]] = []
        self.gaps: list[dict[str, Any]] = []
        self.arrived = asyncio.Event()
        self.stalled: asyncio.Event | None = None

    async def send(self, message: bytes | str) -> None:
        if self.stalled is not None:
            await self.stalled.wait()
        header, arrays = decode(message)
        self.kinds.append(header["kind"])
        match header["kind"]:
            case "keyframe":
                self.state[header["start"] : header["stop"]] = arrays["state"]
                self.seq = header["seq"]
            case "delta":
                assert header["base_seq"] == self.seq, "a delta must extend what was drawn"
                self.state[arrays["kv_pages/slots"]] = arrays["kv_pages/state"]
                self.seq = header["seq"]
            case "heartbeat":
                self.words.append(header["state"])
            case "event":
                self.events.append(header)
            case "gap":
                self.gaps.append(header)
        self.arrived.set()

    async def until(self, claim: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not claim():
                self.arrived.clear()
                await self.arrived.wait()


class Rig:
    """A hub with one tiny host connected."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.broadcast = Broadcast(self.hub)
        self.host = TinyHost()
        self.commands: list[str] = []

        async def send(text: str) -> None:
            self.commands.append(text)

        self.ingest = Ingest(self.hub, "local", send)
        for message in (self.host.hello(), self.host.keyframe(), self.host.scalars()):
            self.ingest.take(message)

    @asynccontextmanager
    async def viewer(self, screen: Screen, **want: Any) -> AsyncIterator[Viewer]:
        viewer = Viewer(self.broadcast, self.hub.hosts["local"], screen.send)
        header = {"kind": "subscribe", "pools": ["kv_pages"], "max_hz": 1000, **want}
        viewer.subscribe(Subscription.from_header(header))
        task = asyncio.create_task(viewer.run())
        try:
            yield viewer
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def change(self, slots: list[int], state: int) -> None:
        self.ingest.take(self.host.change(slots, state))
        self.ingest.take(self.host.scalars(100.0 + self.host.seq))
