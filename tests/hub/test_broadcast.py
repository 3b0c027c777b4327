"""Viewers: exact state from any base, newest wins, nobody waits for anybody."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from app.hub.broadcast import Viewer
from app.hub.state import MAX_EVENTS
from app.hub.subscription import Subscription
from app.wire.frame import FrameError, decode
from tests.hub.hosts import CELLS, TinyHost
from tests.hub.viewers import Rig, Screen


async def test_viewer_gets_hello_scalars_and_keyframe_first() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen):
        await screen.until(lambda: "keyframe" in screen.kinds)
    assert screen.kinds[0] == "hello"
    assert screen.kinds.index("scalars") < screen.kinds.index("keyframe")
    assert np.array_equal(screen.state, rig.host.state)


async def test_viewer_deltas_lead_to_the_hosts_exact_state() -> None:
    rig, screen, rng = Rig(), Screen(), np.random.default_rng(3)
    async with rig.viewer(screen):
        await screen.until(lambda: "keyframe" in screen.kinds)
        for _ in range(40):
            slots = rng.choice(CELLS, 50, replace=False).tolist()
            rig.change(slots, int(rng.integers(0, 5)))
            await asyncio.sleep(0.001)
        await screen.until(lambda: screen.seq == rig.host.state_seq)
    assert np.array_equal(screen.state, rig.host.state)
    assert screen.kinds.count("keyframe") == 1


async def test_stalled_viewer_delays_nobody_and_skips_to_the_newest_state() -> None:
    rig, slow, fast = Rig(), Screen(), Screen()
    async with rig.viewer(slow), rig.viewer(fast):
        await slow.until(lambda: "keyframe" in slow.kinds)
        await fast.until(lambda: "keyframe" in fast.kinds)
        slow.stalled = asyncio.Event()
        before = len(slow.kinds)
        for index in range(20):
            rig.change([index], 1)
            await fast.until(lambda: fast.seq == rig.host.state_seq)
        slow.stalled.set()
        slow.stalled = None
        await slow.until(lambda: slow.seq == rig.host.state_seq)
    deltas = slow.kinds[before:].count("delta")
    assert 1 <= deltas <= 3, "what was missed comes merged"
    assert np.array_equal(slow.state, rig.host.state)


async def test_viewer_resumes_with_a_delta_instead_of_a_keyframe() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen):
        await screen.until(lambda: "keyframe" in screen.kinds)
        rig.change([1, 2, 3], 1)
        await screen.until(lambda: screen.seq == rig.host.state_seq)
    rig.change([4, 5], 2)
    resume = {"epoch": rig.host.epoch, "seq": screen.seq, "event_seq": 0}
    async with rig.viewer(screen, resume=resume):
        await screen.until(lambda: screen.seq == rig.host.state_seq)
    assert screen.kinds.count("keyframe") == 1
    assert np.array_equal(screen.state, rig.host.state)


async def test_viewer_resume_of_another_epoch_gets_a_keyframe() -> None:
    rig, screen = Rig(), Screen()
    rig.change([1], 1)
    async with rig.viewer(screen, resume={"epoch": 6, "seq": 1}):
        await screen.until(lambda: "keyframe" in screen.kinds)
    assert np.array_equal(screen.state, rig.host.state)


async def test_viewer_resync_brings_a_keyframe() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen) as viewer:
        await screen.until(lambda: "keyframe" in screen.kinds)
        viewer.resync("kv_pages")
        rig.change([9], 1)
        await screen.until(lambda: screen.kinds.count("keyframe") == 2)
    assert np.array_equal(screen.state, rig.host.state)


async def test_host_restart_brings_hello_and_keyframe_of_the_new_epoch() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen):
        await screen.until(lambda: "keyframe" in screen.kinds)
        rig.host = TinyHost(epoch=8)
        rig.host.state[5] = 3
        for message in (rig.host.hello(), rig.host.keyframe(), rig.host.scalars()):
            rig.ingest.take(message)
        await screen.until(lambda: screen.kinds.count("keyframe") == 2)
    assert screen.kinds.count("hello") == 2
    assert np.array_equal(screen.state, rig.host.state)


async def test_viewer_is_told_of_a_crash_at_once() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen):
        await screen.until(lambda: screen.words == ["live"])
        rig.hub.set_status("local", "crashed", "killed")
        async with asyncio.timeout(0.5):
            await screen.until(lambda: screen.words[-1] == "crashed")


async def test_viewer_range_is_all_that_is_sent() -> None:
    rig, screen = Rig(), Screen()
    view = {"pool": "kv_pages", "start": 100, "stop": 200}
    async with rig.viewer(screen, views=[view]):
        await screen.until(lambda: "keyframe" in screen.kinds)
        rig.change([99, 100, 199, 200], 1)
        await screen.until(lambda: screen.seq == rig.host.state_seq)
    assert screen.state[[99, 200]].tolist() == [255, 255]
    assert screen.state[[100, 199]].tolist() == [1, 1]


async def test_events_arrive_in_order_and_none_is_missed() -> None:
    rig, screen = Rig(), Screen()
    async with rig.viewer(screen):
        await screen.until(lambda: "keyframe" in screen.kinds)
        for index in range(300):
            rig.ingest.take(rig.host.event(str(index)))
        await screen.until(lambda: len(screen.events) == 300)
    assert [event["message"] for event in screen.events] == [str(i) for i in range(300)]
    sequence = [event["event_seq"] for event in screen.events]
    assert sequence == list(range(sequence[0], sequence[0] + 300))


async def test_events_no_longer_kept_are_told_as_a_gap() -> None:
    rig, screen = Rig(), Screen()
    for index in range(MAX_EVENTS + 10):
        rig.ingest.take(rig.host.event(str(index)))
    resume = {"epoch": rig.host.epoch, "seq": 0, "event_seq": 5}
    async with rig.viewer(screen, resume=resume):
        await screen.until(lambda: len(screen.events) == MAX_EVENTS)
    assert screen.gaps == [{"kind": "gap", "host": "local", "from": 6, "to": 10}]
    assert screen.events[0]["event_seq"] == 11


async def test_shared_delta_is_encoded_once_for_viewers_of_one_base() -> None:
    rig = Rig()
    sent: list[int] = []

    def recorder() -> Callable[[bytes | str], Awaitable[None]]:
        async def send(message: bytes | str) -> None:
            if isinstance(message, bytes) and decode(message)[0]["kind"] == "delta":
                sent.append(id(message))

        return send

    viewers = [Viewer(rig.broadcast, rig.hub.hosts["local"], recorder()) for _ in range(8)]
    header = {"kind": "subscribe", "pools": ["kv_pages"], "max_hz": 1000}
    for viewer in viewers:
        viewer.subscribe(Subscription.from_header(header))
    tasks = [asyncio.create_task(viewer.run()) for viewer in viewers]
    await asyncio.sleep(0.05)
    rig.change([1, 2], 1)
    async with asyncio.timeout(5):
        while len(sent) < 8:
            await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(set(sent)) == 1


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("pools", "kv_pages", "pools"),
        ("max_hz", 0, "max_hz"),
        ("max_hz", True, "max_hz"),
        ("views", [{"pool": "x", "start": 9, "stop": 3}], "start 9"),
        ("views", [{"pool": "x", "level": 2}], "level 0"),
        ("resume", {"seq": -1}, "resume.seq"),
        ("resume", [], "resume"),
    ],
)
def test_bad_subscription_names_the_field(field: str, value: Any, named: str) -> None:
    with pytest.raises(FrameError, match=named):
        Subscription.from_header({"kind": "subscribe", field: value})


def test_delta_on_another_base_is_refused_and_changes_nothing() -> None:
    rig = Rig()
    rig.host.state_seq = 999
    before = rig.hub.hosts["local"].cells["kv_pages"].arrays["state"].copy()
    with pytest.raises(FrameError, match="extends seq 999"):
        rig.ingest.take(rig.host.change([1], 1))
    assert np.array_equal(rig.hub.hosts["local"].cells["kv_pages"].arrays["state"], before)


def test_delta_for_a_cell_that_is_not_there_is_refused() -> None:
    rig = Rig()
    rig.hub.hosts["local"].cells["kv_pages"].cells = 10
    with pytest.raises(FrameError, match="cell 4000 of 10"):
        rig.ingest.take(rig.host.change([4000], 1))
