"""The flight recorder: the last half minute of one host's frames, always at hand.

Frames are kept as they came, in segments that begin with the whole state, so that a window can be
played from its first message. A delta costs a reference; a segment costs one copy of the cells.
"""

import time
from collections import deque
from dataclasses import dataclass, field

from app.hub.cell_frames import keyframe
from app.hub.state import HostState
from app.hub.subscription import Subscription
from app.incidents.window import Message
from app.wire.frame import encode_text

SEGMENT_S = 10.0
BUDGET_BYTES = 64 << 20


@dataclass(slots=True)
class Segment:
    """Messages from one whole state on; `times[i]` is when `messages[i]` came, wall seconds."""

    begun: float
    messages: list[Message] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    nbytes: int = 0

    def add(self, now: float, message: Message) -> None:
        """Keep one more."""
        self.messages.append(message)
        self.times.append(now)
        self.nbytes += len(message)


class Recorder:
    """Keeps at least `keep_s` seconds of a host, as far as the budget reaches."""

    def __init__(self, state: HostState, keep_s: float, budget_bytes: int = BUDGET_BYTES) -> None:
        self._state, self._keep_s, self._budget_bytes = state, keep_s, budget_bytes
        self._segments: deque[Segment] = deque()

    def note(self, message: Message, *, whole: bool = False) -> None:
        """A frame was applied; `whole` when it replaced the state and deltas start afresh."""
        now = time.time()
        last = self._segments[-1] if self._segments else None
        if whole or last is None or now - last.begun >= SEGMENT_S:
            last = self._begin(now)
        if last is not None and not whole:
            last.add(now, message)
        self._prune(now)

    def window(self, seconds: float) -> list[Message]:
        """Messages that lead from a whole state, `seconds` ago or before, to now."""
        since = time.time() - seconds
        first = 0
        for at, segment in enumerate(self._segments):
            if segment.begun <= since:
                first = at
        return [m for segment in list(self._segments)[first:] for m in segment.messages]

    def since(self, then: float) -> list[Message]:
        """Messages that came after `then` (wall seconds); they extend a window taken then."""
        return [
            message
            for segment in self._segments
            for came, message in zip(segment.times, segment.messages, strict=True)
            if came > then
        ]

    def _begin(self, now: float) -> Segment | None:
        state = self._state
        if state.hello is None or not all(cells.complete for cells in state.cells.values()):
            return None
        segment = Segment(now)
        segment.add(now, encode_text({**state.hello, "seq": state.seq}))
        if state.scalars is not None:
            segment.add(now, encode_text(state.scalars))
        everything = Subscription(pools=tuple(state.cells))
        for pool in state.cells:
            for part in keyframe(state, pool, everything):
                segment.add(now, part)
        self._segments.append(segment)
        return segment

    def _prune(self, now: float) -> None:
        segments = self._segments
        while len(segments) > 1 and (
            segments[1].begun <= now - self._keep_s
            or sum(one.nbytes for one in segments) > self._budget_bytes
        ):
            segments.popleft()
