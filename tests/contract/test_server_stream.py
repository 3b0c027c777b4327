"""The stream of a real server with a real host process: what a page and a host rely on."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from app.wire.frame import decode
from app.wire.schemas import SERVER_MESSAGES
from tests.contract.server import Server

SEED_ERRORS = {
    "over-admission": ("alloc-req-slots-exhausted", "alloc_req_slots runs out of memory. "),
    "unaligned-host-alloc": (
        "logical-host-alloc-unaligned",
        "LogicalHostPool allocation must be page-aligned, got need_size=37, page_size=16",
    ),
    "generation-near-limit": (
        "mm-slot-generation-exhausted",
        "CUDA IPC pool slot generation exhausted",
    ),
}


@contextmanager
def watch(server: Server, **want: Any) -> Iterator[ClientConnection]:
    address = f"ws://127.0.0.1:{server.port}/ws"
    with connect(address, compression=None, max_size=4 << 20) as socket:
        socket.send(json.dumps({"kind": "subscribe", "max_hz": 20, **want}))
        yield socket


def frames(socket: ClientConnection, seconds: float) -> Iterator[tuple[dict[str, Any], Any]]:
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            yield decode(socket.recv(timeout=left))
        except TimeoutError:
            return


@pytest.mark.parametrize("fault", SEED_ERRORS)
def test_fault_raises_the_exact_message_with_its_link(server: Server, fault: str) -> None:
    code, message = SEED_ERRORS[fault]
    with watch(server) as socket:
        status, body = server.post("/api/workload/inject", {"fault": fault})
        assert status == 200, body
        for header, _ in frames(socket, 5):
            if header["kind"] == "event" and header["code"] == code:
                break
        else:
            pytest.fail(f"no event with code {code}")
    assert header["message"].startswith(message)
    assert header["href"] == f"/errors/{code}"
    status, page = server.get(header["href"], Accept="text/html")
    assert status == 200
    assert code in page
    listed = server.get(f"/api/events?code={code}")[1]["items"]
    assert listed[0]["message"] == header["message"]


def test_every_frame_keeps_its_schema_and_leads_to_the_rest_state(server: Server) -> None:
    cells: dict[str, np.ndarray] = {}
    seen = set()
    with watch(server, pools=["kv_pages", "request_slots"]) as socket:
        for header, arrays in frames(socket, 3):
            jsonschema.validate(header, SERVER_MESSAGES[header["kind"]])
            seen.add(header["kind"])
            if header["kind"] == "keyframe":
                cells.setdefault(header["pool"], np.zeros(header["cells"], np.uint8))
                cells[header["pool"]][header["start"] : header["stop"]] = arrays["state"]
            elif header["kind"] == "delta":
                for pool, state in cells.items():
                    if f"{pool}/slots" in arrays:
                        state[arrays[f"{pool}/slots"]] = arrays[f"{pool}/state"]
            elif header["kind"] == "scalars" and "delta" in seen:
                snapshot = header["pools"]["request_slots"]
        server.post("/api/workload/pause")
        for header, arrays in frames(socket, 1):
            if header["kind"] == "delta":
                for pool, state in cells.items():
                    if f"{pool}/slots" in arrays:
                        state[arrays[f"{pool}/slots"]] = arrays[f"{pool}/state"]
            if header["kind"] == "scalars":
                snapshot = header["pools"]["request_slots"]
    server.post("/api/workload/resume")
    assert {"hello", "scalars", "keyframe", "delta", "heartbeat"} <= seen
    assert int((cells["request_slots"] == 1).sum()) == snapshot["held"]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("not json", "not JSON"),
        ('{"kind": "hello"}', "a viewer sends"),
        ('{"kind": "subscribe", "max_hz": -1}', "max_hz"),
        ('{"kind": "subscribe", "pools": ["' + "x" * 70_000 + '"]}', "at most 64,000"),
    ],
)
def test_bad_viewer_is_told_why_and_closed(server: Server, message: str, named: str) -> None:
    with connect(f"ws://127.0.0.1:{server.port}/ws", compression=None) as socket:
        socket.send(message)
        header, _ = decode(socket.recv(timeout=5))
        assert header["kind"] == "error"
        assert named in header["detail"]
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=5)
    assert server.get("/livez")[0] == 200


def test_host_socket_needs_its_token(server: Server) -> None:
    address = f"ws://127.0.0.1:{server.port}/ws/host?host=intruder"
    with pytest.raises(InvalidStatus), connect(address):
        pass


def test_killed_host_is_told_and_restarted_and_nothing_else_stops(server: Server) -> None:
    epoch = server.get("/api/hosts/local")[1]["epoch"]
    pid = server.host_pid()
    with watch(server) as socket:
        os.kill(pid, signal.SIGKILL)
        state = server.until("/api/hosts/local", lambda _, body: body["state"] == "crashed")
        assert "SIGKILL" in state["note"]
        assert server.get("/")[0] == 200
        assert server.get("/livez")[0] == 200
        revived = server.until(
            "/api/hosts/local", lambda _, body: body["state"] == "live" and body["epoch"] != epoch
        )
        words = {h["state"] for h, _ in frames(socket, 2) if h["kind"] == "heartbeat"}
    assert revived["epoch"] > epoch
    assert "live" in words
    events = server.get("/api/events?level=critical")[1]["items"]
    assert any("SIGKILL" in event["message"] for event in events)
