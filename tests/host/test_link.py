"""The host's connection, against a real websocket server that stands for the hub."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from app.host import link as module
from app.host.link import MAX_STATE_BACKLOG, Link

Handler = Callable[[ServerConnection], Awaitable[None]]
#: more than the buffers of a connection take
BIG = 32 << 20


class Hub:
    """Keeps what hosts send; `conduct` decides what a connection does first."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.requests: list[Request] = []
        self.connections: list[ServerConnection] = []
        self.conduct: Handler | None = None

    async def handle(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.requests.append(socket.request)
        self.connections.append(socket)
        if self.conduct is not None:
            await self.conduct(socket)
        async for message in socket:
            self.got.append(json.loads(message))

    def kinds(self, *kinds: str) -> list[dict[str, Any]]:
        return [one for one in self.got if one["kind"] in kinds]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.005)


def port_of(server: Server) -> int:
    (socket,) = server.sockets
    port: int = socket.getsockname()[1]
    return port


@contextlib.asynccontextmanager
async def running(link: Link) -> AsyncIterator[Link]:
    """The link's work on this loop instead of a thread of its own, so that it ends here."""
    task = asyncio.create_task(link._run())
    try:
        yield link
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def link_to(port: int) -> Link:
    return Link(f"ws://127.0.0.1:{port}/ws/host", "s3cret", "h1", lambda: {"engine_age_s": 0.5})


@contextlib.asynccontextmanager
async def connected(hub: Hub) -> AsyncIterator[Link]:
    async with (
        serve(hub.handle, "127.0.0.1", 0) as server,
        running(link_to(port_of(server))) as link,
    ):
        await until(lambda: link.connections == 1)
        yield link


async def test_link_names_itself_and_shows_its_token() -> None:
    hub = Hub()
    async with connected(hub):
        await until(lambda: bool(hub.requests))
    assert hub.requests[0].path == "/ws/host?host=h1"
    assert hub.requests[0].headers["Authorization"] == "Bearer s3cret"


async def test_what_is_queued_arrives_in_order() -> None:
    hub = Hub()
    async with connected(hub) as link:
        link.send_state([json.dumps({"kind": "scalars", "seq": seq}) for seq in range(20)])
        for number in range(20):
            link.send_lossless({"kind": "event", "event_seq": number})
        await until(lambda: len(hub.kinds("scalars", "event")) == 40)
    assert [one["event_seq"] for one in hub.kinds("event")] == list(range(20))
    assert [one["seq"] for one in hub.kinds("scalars")] == list(range(20))


async def test_commands_come_in_and_anything_else_is_left() -> None:
    hub = Hub()
    async with connected(hub) as link:
        await until(lambda: bool(hub.connections))
        for text in ("{", "[1]", '"command"', '{"kind": "nonsense"}'):
            await hub.connections[0].send(text)
        await hub.connections[0].send('{"kind": "command", "id": 3, "name": "pause"}')
        await until(lambda: not link.commands.empty())
        assert link.commands.get_nowait() == {"kind": "command", "id": 3, "name": "pause"}
        assert link.commands.empty()


async def test_heartbeats_carry_the_engines_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)
    hub = Hub()
    async with connected(hub):
        await until(lambda: len(hub.kinds("heartbeat")) >= 2)
    assert hub.got[0]["engine_age_s"] == 0.5
    assert hub.got[0]["t"] > 0


async def test_events_wait_for_a_hub_that_is_not_there_yet() -> None:
    hub = Hub()
    async with serve(hub.handle, "127.0.0.1", 0) as server:
        port = port_of(server)
    link = link_to(port)
    link.send_lossless({"kind": "event", "event_seq": 1})
    async with running(link):
        await until(lambda: link.refusal is not None)
        async with serve(hub.handle, "127.0.0.1", port):
            await until(lambda: bool(hub.kinds("event")))
    assert link.refusal is None
    assert link.connections == 1


async def test_refused_connection_is_told_with_its_reason() -> None:
    def refuse(connection: ServerConnection, request: Request) -> Response:
        return connection.respond(HTTPStatus.UNAUTHORIZED, "wrong token\n")

    async with (
        serve(Hub().handle, "127.0.0.1", 0, process_request=refuse) as server,
        running(link_to(port_of(server))) as link,
    ):
        await until(lambda: link.refusal is not None)
    assert link.refusal == "HTTP 401 wrong token\n"
    assert link.connections == 0


async def test_message_cut_off_by_a_closing_connection_is_sent_again() -> None:
    hub = Hub()

    async def cut(socket: ServerConnection) -> None:
        if len(hub.connections) == 1:
            socket.transport.pause_reading()
            await asyncio.sleep(0.1)
            socket.transport.abort()

    hub.conduct = cut
    async with serve(hub.handle, "127.0.0.1", 0, max_size=None) as server:
        link = link_to(port_of(server))
        link.send_lossless({"kind": "event", "event_seq": 1, "message": "x" * BIG})
        link.send_lossless({"kind": "event", "event_seq": 2})
        async with running(link):
            await until(lambda: len(hub.kinds("event")) == 2)
    assert [one["event_seq"] for one in hub.kinds("event")] == [1, 2]
    assert link.connections == 2


async def test_frames_that_nobody_takes_are_given_up_for_a_keyframe() -> None:
    link = link_to(9)
    for seq in range(MAX_STATE_BACKLOG + 1):
        link.send_state([json.dumps({"kind": "scalars", "seq": seq})])
    assert not link.take_keyframe_owed()
    link.send_state(["last"])
    assert link.take_keyframe_owed()
    assert not link.take_keyframe_owed(), "owed once"
    assert link._first() is None


async def test_new_connection_begins_without_old_frames_but_with_old_events() -> None:
    hub = Hub()
    async with serve(hub.handle, "127.0.0.1", 0) as server:
        link = link_to(port_of(server))
        link.send_state([json.dumps({"kind": "delta", "seq": 1})])
        link.send_lossless({"kind": "event", "event_seq": 1})
        async with running(link):
            await until(lambda: bool(hub.kinds("event")))
            link.send_state([json.dumps({"kind": "delta", "seq": 2})])
            await until(lambda: bool(hub.kinds("delta")))
    assert [one["seq"] for one in hub.kinds("delta")] == [2]
