"""Incidents and a hub that keeps them, for tests."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.hub.hub import Hub
from app.hub.ingest import Ingest
from app.incidents.incident import Incident
from app.incidents.keeper import Keeper
from tests.hub.hosts import TinyHost


def incident(**changes: Any) -> Incident:
    values: dict[str, Any] = {
        "id": "20261201-000000-00000001", "host": "local", "epoch": 7, "source": "replay",
        "opened_t": 1000.0, "last_t": 1000.0, "sim_t": 12.5, "level": "error", "event": "error",
        "code": "kv-decode-oom", "pool": "kv_pages", "message": "Decode out of memory.",
        "numbers": {"need": 3}, "scalars": {"seq": 4},
    }  # fmt: skip
    return Incident(**{**values, **changes})


class Kept:
    """A hub with one host whose events are kept."""

    def __init__(self, path: Path) -> None:
        self.hub = Hub()
        self.keeper = Keeper(self.hub, path)
        self.hub.keeper = self.keeper
        self.host = TinyHost()

        async def send(text: str) -> None:
            raise AssertionError(f"no command is expected: {text}")

        self.ingest = Ingest(self.hub, "local", send)
        for message in (self.host.hello(), self.host.keyframe(), self.host.scalars(time.time())):
            self.ingest.take(message)

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.hub.hosts["local"].events

    async def until_shown(self, count: int) -> list[dict[str, Any]]:
        async with asyncio.timeout(10):
            while len(self.events) < count:
                await asyncio.sleep(0.01)
        return self.events


@asynccontextmanager
async def keeping(path: Path) -> AsyncIterator[Kept]:
    kept = Kept(path)
    task = asyncio.create_task(kept.keeper.run())
    try:
        yield kept
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await kept.keeper.close()
