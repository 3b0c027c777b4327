"""The two websockets: `/ws` for viewers, `/ws/host` for pool hosts."""

import asyncio
import contextlib
import logging
import re

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from app.hub.broadcast import SlowViewer, Viewer
from app.hub.hub import HostUnavailable
from app.hub.ingest import Ingest
from app.hub.subscription import Subscription
from app.nearest import did_you_mean
from app.routes.deps import BroadcastDep, HubDep
from app.wire.frame import FrameError, decode, encode_text

router = APIRouter()
log = logging.getLogger("poolscope.stream")

MAX_INBOUND_BYTES = 64_000
MAX_VIEWERS = 1_500
HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
POLICY_VIOLATION, TRY_AGAIN_LATER, TOO_BIG, NOT_FOUND = 1008, 1013, 1009, 4404


@router.websocket("/ws")
async def watch(socket: WebSocket, hub: HubDep, broadcast: BroadcastDep) -> None:
    """A viewer: subscribe and ack in, frames out."""
    name = socket.query_params.get("host", "local")
    await socket.accept()
    if name not in hub.hosts:
        detail = f"no host {name!r}{did_you_mean(name, hub.hosts)}"
        await _refuse(socket, NOT_FOUND, "Unknown host", detail)
        return
    if hub.viewers >= MAX_VIEWERS:
        await _refuse(socket, TRY_AGAIN_LATER, "Too many viewers", f"{MAX_VIEWERS} are connected")
        return

    async def send(message: bytes | str) -> None:
        if isinstance(message, bytes):
            await socket.send_bytes(message)
        else:
            await socket.send_text(message)

    viewer = Viewer(broadcast, hub.hosts[name], send)
    hub.viewers += 1
    sender = asyncio.create_task(viewer.run())
    reader = asyncio.create_task(_read(socket, viewer))
    try:
        await asyncio.wait((sender, reader), return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.viewers -= 1
        for task in (sender, reader):
            task.cancel()
        results = await asyncio.gather(sender, reader, return_exceptions=True)
    for result in results:
        if isinstance(result, FrameError):
            await _refuse(socket, POLICY_VIOLATION, "Bad message", str(result))
        elif isinstance(result, SlowViewer):
            await _refuse(socket, POLICY_VIOLATION, "Too slow", str(result))
        elif isinstance(result, Exception) and not isinstance(
            result, WebSocketDisconnect | RuntimeError
        ):
            log.error("viewer ended: %r", result)


async def _read(socket: WebSocket, viewer: Viewer) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        if text is None:
            raise FrameError("viewers send JSON text, not binary")
        if len(text) > MAX_INBOUND_BYTES:
            raise FrameError(f"message of {len(text):,} characters; at most {MAX_INBOUND_BYTES:,}")
        header, _ = decode(text)
        match header["kind"]:
            case "subscribe":
                viewer.subscribe(Subscription.from_header(header))
            case "ack" if type(header.get("seq")) is int:
                viewer.ack(header["seq"])
            case "resync" if isinstance(header.get("pool"), str):
                viewer.resync(header["pool"])
            case kind:
                raise FrameError(
                    f"a viewer sends subscribe, ack {{seq}} or resync {{pool}}, not {kind!r}"
                )


@router.websocket("/ws/host")
async def ingest(socket: WebSocket, hub: HubDep) -> None:
    """A pool host: frames in, commands out. The bearer token was checked by the guard."""
    name = socket.query_params.get("host", "")
    await socket.accept()
    if HOST_NAME.fullmatch(name) is None:
        detail = "a host name is 1 to 63 letters, digits, dots or dashes"
        await _refuse(socket, POLICY_VIOLATION, "Bad host name", detail)
        return
    try:
        line = Ingest(hub, name, socket.send_text)
    except HostUnavailable as error:
        await _refuse(socket, POLICY_VIOLATION, "Host refused", str(error))
        return
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            line.take(message.get("bytes") or message.get("text") or "")
    except FrameError as error:
        log.warning("host %s: %s; it will reconnect and resend", name, error)
        await _refuse(socket, POLICY_VIOLATION, "Bad frame", str(error))
    finally:
        line.close()


async def _refuse(socket: WebSocket, code: int, title: str, detail: str) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(encode_text({"kind": "error", "title": title, "detail": detail}))
        await socket.close(code, title)
