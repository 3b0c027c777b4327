"""Takes a host's frames into the hub. One decoder for the local host and every remote one."""

import asyncio
from typing import Any

from app.hub.hub import LAB, HostLine, HostUnavailable, Hub, Send
from app.hub.state import HostState
from app.hub.verdict_rules import judge
from app.wire.frame import Arrays, FrameError, Header, decode, encode_text

#: frames that a recording needs
STATE_KINDS = ("hello", "scalars", "keyframe", "delta")


class Ingest:
    """One connection of one host."""

    def __init__(self, hub: Hub, name: str, send: Send) -> None:
        self.hub, self.name = hub, name
        self.state: HostState = hub.host(name)
        self.line = HostLine(send)
        if name in hub.lines:
            raise HostUnavailable(f"a host named {name!r} is connected already; use another --name")
        hub.lines[name] = self.line

    def close(self) -> None:
        """The connection is gone; its pending commands fail."""
        self.hub.lines.pop(self.name, None)
        for future in self.line.waiting.values():
            if not future.done():
                future.set_exception(HostUnavailable(f"host {self.name!r} disconnected"))
        if self.state.status == "live":
            self.hub.set_status(self.name, "disconnected", "the host's connection closed")

    def take(self, message: bytes | str) -> None:
        """Apply one message.

        Raises:
            FrameError: it is not a frame or does not fit; the connection should be closed, the
                host reconnects and begins with a keyframe.
        """
        header, arrays = decode(message)
        kind = header["kind"]
        handler = getattr(self, f"_on_{kind}", None)
        if handler is None:
            raise FrameError(f"a host does not send {kind!r}")
        try:
            handler(header, arrays)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, FrameError):
                raise
            raise FrameError(f"{kind}: {type(error).__name__} {error}") from error
        if self.hub.keeper is not None and self.name != LAB and kind in STATE_KINDS:
            # Scalars go on with their verdict.
            kept = encode_text(header) if kind == "scalars" else message
            self.hub.keeper.note(self.state, kept, whole=kind in ("hello", "keyframe"))
        self.hub.frames_total[kind] = self.hub.frames_total.get(kind, 0) + 1

    def _on_hello(self, header: Header, arrays: Arrays) -> None:
        self.state.apply_hello(header)
        self.hub.notify()

    def _on_scalars(self, header: Header, arrays: Arrays) -> None:
        header["verdict"] = self.hub.verdicts[self.name].settle(judge(header), header["t"])
        self.state.apply_scalars(header)
        self.hub.notify()

    def _on_keyframe(self, header: Header, arrays: Arrays) -> None:
        self.state.apply_keyframe(header, arrays)

    def _on_delta(self, header: Header, arrays: Arrays) -> None:
        self.state.apply_delta(header, arrays)

    def _on_event(self, header: Header, arrays: Arrays) -> None:
        # A host sends again what it cannot know to have arrived before its connection closed.
        epoch, event_seq = int(header["epoch"]), int(header["event_seq"])
        last_epoch, last_seq = self.state.heard
        if epoch == last_epoch and event_seq <= last_seq:
            return
        self.hub.tell(self.state, header)
        self.state.heard = (epoch, event_seq)

    def _on_heartbeat(self, header: Header, arrays: Arrays) -> None:
        self.state.engine_age_s = float(header["engine_age_s"])
        self.hub.notify()

    def _on_reply(self, header: Header, arrays: Arrays) -> None:
        future: asyncio.Future[Any] | None = self.line.waiting.get(int(header["id"]))
        if future is not None and not future.done():
            future.set_result(header)
