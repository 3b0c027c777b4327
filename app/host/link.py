"""The host's connection to a hub: frames out, commands in, on a thread of its own.

State frames wait in a bounded outbox and are dropped when the hub does not take them; then a
keyframe is owed, since a delta says what it extends. Events are kept until they are sent.
"""

import asyncio
import contextlib
import json
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection, connect

from app.wire.frame import encode_text

#: state frames waiting before the oldest are given up for a keyframe
MAX_STATE_BACKLOG = 64
MAX_EVENT_BACKLOG = 20_000
HEARTBEAT_S = 1.0
FIRST_RETRY_S, LAST_RETRY_S = 0.1, 5.0


class Link(threading.Thread):
    """Owns the websocket to `/ws/host`. All public methods may be called from any thread."""

    def __init__(
        self, url: str, token: str, name: str, heartbeat: Callable[[], dict[str, Any]]
    ) -> None:
        super().__init__(name="hub-link", daemon=True)
        self.commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        #: counts connections; the probe owes a hello and keyframes when it moves
        self.connections = 0
        self.refusal: str | None = None
        self._url, self._token, self._name = url, token, name
        self._heartbeat = heartbeat
        self._state: deque[bytes | str] = deque()
        self._lossless: deque[str] = deque(maxlen=MAX_EVENT_BACKLOG)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: asyncio.Event | None = None
        self._keyframe_owed = False

    def send_state(self, frames: list[bytes | str]) -> None:
        """Queue hello, scalars, keyframes and deltas, in order."""
        with self._lock:
            self._state.extend(frames)
            if len(self._state) > MAX_STATE_BACKLOG + len(frames):
                self._state.clear()
                self._keyframe_owed = True
        self._notify()

    def send_lossless(self, message: dict[str, Any]) -> None:
        """Queue an event or a reply; kept over a reconnection."""
        with self._lock:
            self._lossless.append(encode_text(message))
        self._notify()

    def take_keyframe_owed(self) -> bool:
        """Whether frames were given up since the last call."""
        with self._lock:
            owed, self._keyframe_owed = self._keyframe_owed, False
        return owed

    def run(self) -> None:
        """Thread body: connect, serve, connect again."""
        asyncio.run(self._run())

    def _notify(self) -> None:
        loop, wake = self._loop, self._wake
        if loop is not None and wake is not None and not loop.is_closed():
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(wake.set)

    async def _run(self) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        delay = FIRST_RETRY_S
        while True:
            try:
                async with connect(
                    f"{self._url}?host={self._name}",
                    additional_headers={"Authorization": f"Bearer {self._token}"},
                    compression=None,
                    max_size=1 << 20,
                ) as socket:
                    delay = FIRST_RETRY_S
                    await self._serve(socket)
            except websockets.InvalidStatus as error:
                body = error.response.body or b""
                self.refusal = (
                    f"HTTP {error.response.status_code} {body.decode(errors='replace')[:200]}"
                )
            except (OSError, websockets.WebSocketException) as error:
                self.refusal = f"{type(error).__name__}: {error}"
            await asyncio.sleep(delay)
            delay = min(delay * 1.6, LAST_RETRY_S)

    async def _serve(self, socket: ClientConnection) -> None:
        with self._lock:
            self._state.clear()
        self.refusal = None
        self.connections += 1
        tasks = [
            asyncio.create_task(work(socket)) for work in (self._send, self._receive, self._beat)
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, socket: ClientConnection) -> None:
        wake = self._wake
        if wake is None:
            return
        while True:
            wake.clear()
            while (message := self._first()) is not None:
                await socket.send(message)
                self._sent(message)
            await wake.wait()

    def _first(self) -> bytes | str | None:
        with self._lock:
            if self._lossless:
                return self._lossless[0]
            return self._state[0] if self._state else None

    def _sent(self, message: bytes | str) -> None:
        # Not before: a connection that closes under a send has not taken the message. What was
        # waiting may have been given up meanwhile, so this looks before it drops.
        with self._lock:
            for waiting in (self._lossless, self._state):
                if waiting and waiting[0] is message:
                    waiting.popleft()
                    return

    async def _receive(self, socket: ClientConnection) -> None:
        async for message in socket:
            with contextlib.suppress(ValueError):
                command = json.loads(message)
                if isinstance(command, dict) and command.get("kind") == "command":
                    self.commands.put(command)

    async def _beat(self, socket: ClientConnection) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            await socket.send(
                encode_text({"kind": "heartbeat", "t": time.time(), **self._heartbeat()})
            )
