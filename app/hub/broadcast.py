"""What each viewer is sent, and when. Newest state wins; events are never dropped silently.

A viewer has no queue: while one send waits, the world moves on, and the next delta is taken from
the viewer's own base. Deltas from the same base are encoded once and shared.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from app.hub.cell_frames import delta, keyframe
from app.hub.hub import Hub
from app.hub.state import HostState
from app.hub.subscription import Subscription
from app.wire.frame import Header, encode_text

HEARTBEAT_S = 1.0
#: state is held back from a viewer that has drawn nothing for this long
ACK_PATIENCE_S = 5.0
SEND_TIMEOUT_S = 15.0
FIRST_EVENTS = 50

SendMessage = Callable[[bytes | str], Awaitable[None]]


class SlowViewer(Exception):
    """A viewer took nothing for `SEND_TIMEOUT_S`; its connection should be closed."""


class Broadcast:
    """Encodes once what several viewers of one hub need alike."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._shared: dict[tuple[Any, ...], bytes | str | None] = {}
        self._shared_for: tuple[Any, ...] = ()

    def shared(
        self, state: HostState, key: tuple[Any, ...], make: Callable[[], bytes | str | None]
    ) -> bytes | str | None:
        """The message for `key`, made at most once per state of the host."""
        now = (state.name, state.epoch, state.seq, state.state_seq, id(state.hello))
        if self._shared_for != now:
            self._shared_for = now
            self._shared.clear()
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]


class Viewer:
    """One browser or script behind one websocket."""

    def __init__(self, broadcast: Broadcast, state: HostState, send: SendMessage) -> None:
        self.state = state
        self._broadcast, self._send_raw = broadcast, send
        self._want: Subscription | None = None
        self._hello: Header | None = None
        self._base: dict[str, int] = {}
        self._scalars_seq = -1
        self._event_seq = 0
        self._sent_state = 0
        self._acked_seq = 0
        self._unacked_since: float | None = None
        self._subscribed = asyncio.Event()

    def subscribe(self, want: Subscription) -> None:
        """Take over a checked subscription; new pools get a keyframe, old ones go on."""
        state = self.state
        if self._want is None:
            self._event_seq = self._first_event(want)
            if want.resume_epoch == state.epoch and 0 < want.resume_seq <= state.state_seq:
                self._hello = state.hello
                self._base = dict.fromkeys(want.pools, want.resume_seq)
        else:
            same = [p for p in want.pools if want.views.get(p) == self._want.views.get(p)]
            self._base = {pool: base for pool, base in self._base.items() if pool in same}
        self._want = want
        self._subscribed.set()

    def ack(self, seq: int) -> None:
        """The viewer has drawn up to `seq`."""
        self._acked_seq = max(self._acked_seq, seq)
        caught_up = self._acked_seq >= self._sent_state
        self._unacked_since = None if caught_up else time.monotonic()

    def resync(self, pool: str) -> None:
        """The viewer lost the thread of a pool; it gets a keyframe."""
        self._base.pop(pool, None)

    async def run(self) -> None:
        """Send until the connection ends.

        Raises:
            SlowViewer: a single message was not taken in time.
        """
        await self._subscribed.wait()
        last_beat, last_word = 0.0, ""
        while True:
            started = time.monotonic()
            seen = self._broadcast.hub.ticks
            await self._send_news()
            word = self.state.state
            if word != last_word or started - last_beat >= HEARTBEAT_S:
                # A host that died is told at once, not at the next beat.
                last_beat, last_word = started, word
                await self._send(encode_text(self._heartbeat()))
            want = self._want
            gap_s = 1.0 / want.max_hz if want else HEARTBEAT_S
            await asyncio.sleep(max(0.0, gap_s - (time.monotonic() - started)))
            await self._broadcast.hub.changed(seen, HEARTBEAT_S)

    async def _send_news(self) -> None:
        state, want = self.state, self._want
        if want is None:
            return
        if state.hello is not None and self._hello is not state.hello:
            self._hello = state.hello
            self._base.clear()
            self._event_seq = min(self._event_seq, state.event_seq)
            await self._send(encode_text({**state.hello, "seq": state.seq}))
        await self._send_events()
        if state.scalars is None or self._held_back():
            return
        if self._scalars_seq != state.seq:
            scalars = state.scalars
            self._scalars_seq = state.seq
            self._note_sent(state.seq)
            await self._send_shared(("scalars",), lambda: encode_text(scalars))
        await self._send_cells(want)

    async def _send_cells(self, want: Subscription) -> None:
        state = self.state
        stale = [p for p in want.pools if p in state.cells and p not in self._base]
        for pool in stale:
            cells = state.cells[pool]
            if cells.complete:
                seq = state.state_seq
                for part in keyframe(state, pool, want):
                    await self._send(part)
                self._base[pool] = seq
        for base in set(self._base.values()):
            pools = tuple(p for p in want.pools if self._base.get(p) == base and p in state.cells)
            if base == state.state_seq or not pools:
                continue
            seq = state.state_seq
            ranges = tuple(want.range_of(p, state.cells[p].cells) for p in pools)
            make = partial(delta, state, pools, ranges, base)
            await self._send_shared(("delta", base, pools, ranges), make)
            self._base.update(dict.fromkeys(pools, seq))

    async def _send_events(self) -> None:
        lost, events = self.state.events_after(self._event_seq)
        if lost:
            first = self._event_seq + 1
            gap = {"kind": "gap", "host": self.state.name, "from": first, "to": first + lost - 1}
            await self._send(encode_text(gap))
        for event in events:
            await self._send(encode_text(event))
            self._event_seq = event["event_seq"]

    async def _send_shared(
        self, key: tuple[Any, ...], make: Callable[[], bytes | str | None]
    ) -> None:
        message = self._broadcast.shared(self.state, key, make)
        if message is not None:
            await self._send(message)

    async def _send(self, message: bytes | str) -> None:
        # Not wait_for: on Python 3.11 it swallows a cancellation that meets a finished send.
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._send_raw(message)
        except TimeoutError as error:
            raise SlowViewer(f"nothing taken for {SEND_TIMEOUT_S:.0f} s") from error

    def _first_event(self, want: Subscription) -> int:
        state = self.state
        if want.resume_epoch == state.epoch and want.resume_event_seq is not None:
            return min(want.resume_event_seq, state.event_seq)
        return max(0, state.event_seq - min(FIRST_EVENTS, len(state.events)))

    def _note_sent(self, seq: int) -> None:
        self._sent_state = seq
        if self._unacked_since is None:
            self._unacked_since = time.monotonic()

    def _held_back(self) -> bool:
        # Scripts that never ack are held back by the socket alone.
        since = self._unacked_since
        if self._acked_seq == 0 or since is None:
            return False
        return time.monotonic() - since > ACK_PATIENCE_S

    def _heartbeat(self) -> Header:
        state = self.state
        return {
            "kind": "heartbeat",
            "host": state.name,
            "epoch": state.epoch,
            "t": time.time(),
            "seq": state.seq,
            "event_seq": state.event_seq,
            "engine_age_s": state.engine_age_s,
            "age_s": round(state.age_s, 3),
            "state": state.state,
            "note": state.note,
            "history_s": round(state.history.reach_s(), 1),
        }
