"""The flight recorder: a window can be played from its first message to the host's exact state."""

import numpy as np
import pytest

from app.hub.hub import Hub
from app.hub.ingest import Ingest
from app.incidents import recorder as recorder_module
from app.incidents.recorder import Recorder
from app.incidents.window import Message
from app.wire.frame import decode
from tests.hub.hosts import CELLS, TinyHost


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(recorder_module, "time", clock)
    return clock


def played(messages: list[Message]) -> np.ndarray:
    """The cells that a page would hold at the end of a window."""
    state, seq = np.full(CELLS, 255, np.uint8), -1
    for message in messages:
        header, arrays = decode(message)
        if header["kind"] == "keyframe":
            state[header["start"] : header["stop"]] = arrays["state"]
            seq = header["seq"]
        elif header["kind"] == "delta":
            assert header["base_seq"] <= seq, "a delta must extend what was played"
            state[arrays["kv_pages/slots"]] = arrays["kv_pages/state"]
            seq = header["seq"]
    return state


def ticking(clock: Clock, keep_s: float, seconds: int) -> tuple[Recorder, TinyHost]:
    hub, host = Hub(), TinyHost()

    async def send(text: str) -> None:
        raise AssertionError(text)

    ingest = Ingest(hub, "local", send)
    recorder = Recorder(hub.hosts["local"], keep_s)
    for message in (host.hello(), host.keyframe()):
        ingest.take(message)
        recorder.note(message, whole=True)
    for at in range(seconds):
        clock.now += 1.0
        message = host.change([at % CELLS, (7 * at) % CELLS], 1 + at % 3)
        ingest.take(message)
        recorder.note(message)
    return recorder, host


def test_window_plays_to_the_exact_state(clock: Clock) -> None:
    recorder, host = ticking(clock, keep_s=30, seconds=200)
    window = recorder.window(30)
    assert decode(window[0])[0]["kind"] == "hello"
    assert np.array_equal(played(window), host.state)


def test_window_reaches_back_as_far_as_asked_and_not_for_ever(clock: Clock) -> None:
    recorder, _ = ticking(clock, keep_s=30, seconds=200)
    deltas = [m for m in recorder.window(30) if decode(m)[0]["kind"] == "delta"]
    assert 30 <= len(deltas) <= 30 + recorder_module.SEGMENT_S
    assert len(recorder.window(10_000)) < 100


def test_what_followed_extends_the_window(clock: Clock) -> None:
    recorder, host = ticking(clock, keep_s=30, seconds=25)
    before, then = recorder.window(30), clock.now
    assert recorder.since(then) == []
    clock.now += 1.0
    message = host.change([5], 2)
    recorder.note(message)
    assert recorder.since(then) == [message]
    assert np.array_equal(played(before + recorder.since(then)), host.state)


def test_budget_shortens_the_window(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, host = ticking(clock, keep_s=1e9, seconds=100)
    recorder._budget_bytes = 100_000
    recorder.note(host.scalars())
    assert sum(map(len, recorder.window(1e9))) < 150_000
