"""What a host says twice is shown once."""

import pytest

from app.hub.hub import Hub
from app.hub.ingest import Ingest
from app.wire.frame import FrameError, encode
from tests.hub.hosts import TinyHost


async def nowhere(text: str) -> None:
    """No command is sent in these tests."""


def messages(hub: Hub) -> list[str]:
    return [event["message"] for event in hub.host("local").events]


def test_event_sent_again_after_a_reconnection_is_shown_once() -> None:
    hub, host = Hub(), TinyHost()
    events = [host.event(text) for text in ("one", "two")]
    first = Ingest(hub, "local", nowhere)
    for event in events:
        first.take(event)
    first.close()
    second = Ingest(hub, "local", nowhere)
    for event in (events[1], host.event("three"), events[0]):
        second.take(event)
    assert messages(hub) == ["one", "two", "three"]


def test_host_that_began_anew_counts_from_one_again() -> None:
    hub = Hub()
    line = Ingest(hub, "local", nowhere)
    line.take(TinyHost(epoch=7).event("before"))
    line.take(TinyHost(epoch=8).event("after"))
    assert messages(hub) == ["before", "after"]


def test_event_without_a_number_is_no_frame_of_a_host() -> None:
    line = Ingest(Hub(), "local", nowhere)
    with pytest.raises(FrameError, match="event_seq"):
        line.take(encode({"kind": "event", "epoch": 7, "message": "x"}, {}))
