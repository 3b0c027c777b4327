"""kill -9 of the host and of the web process while faults rain: what was shown is on disk."""

import contextlib
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from app.incidents.store import IncidentStore
from app.wire.frame import decode
from tests.contract.server import SMALL, Server, serve

#: each round starts a server; the long run is POOLSCOPE_KILL_ROUNDS=20
ROUNDS = int(os.environ.get("POOLSCOPE_KILL_ROUNDS", "2"))
FAULTS = ("over-admission", "unaligned-host-alloc", "stale-release")


def watch(server: Server, shown: set[str], done: threading.Event) -> None:
    """A page: notes every incident that it was told of."""
    address = f"ws://127.0.0.1:{server.port}/ws"
    with (
        contextlib.suppress(WebSocketException, OSError, TimeoutError),
        connect(address, compression=None, max_size=8 << 20) as socket,
    ):
        socket.send('{"kind": "subscribe"}')
        while not done.is_set():
            header, _ = decode(socket.recv(timeout=5))
            if header["kind"] == "event" and header.get("incident"):
                shown.add(header["incident"])


def rain(server: Server, seconds: float, done: threading.Event) -> None:
    """Raise faults until time is up or the server is gone."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not done.is_set():
        with contextlib.suppress(OSError):
            server.post("/api/workload/inject", {"fault": random.choice(FAULTS)})


@pytest.mark.timeout(60 + 15 * ROUNDS)
def test_no_incident_is_lost_that_a_page_had_shown(tmp_path: Path) -> None:
    shown: set[str] = set()
    for round_ in range(ROUNDS):
        done = threading.Event()
        with serve(tmp_path, *SMALL, "--scenario", "steady") as server:
            viewer = threading.Thread(target=watch, args=(server, shown, done))
            storm = threading.Thread(target=rain, args=(server, 5.0, done))
            viewer.start()
            storm.start()
            time.sleep(random.uniform(0.2, 1.0))
            if round_ % 2 == 0:
                os.kill(server.host_pid(), signal.SIGKILL)
                time.sleep(random.uniform(0.2, 1.5))
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
            done.set()
            viewer.join()
            storm.join()
    store = IncidentStore(tmp_path / "incidents.sqlite")
    kept = {one.id for one in store.page(1000, None, None, None)[0]}
    store.close()
    assert shown, "no fault was ever shown: the test proves nothing"
    assert shown <= kept
    print(f"{len(shown)} incidents shown, {len(kept)} kept, {ROUNDS} rounds of kills")
