"""A real server, a real host process, real websockets: the promises that cross all modules."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from app.wire.frame import decode
from app.wire.schemas import SERVER_MESSAGES
from tests.contract.server import SMALL, Server, alive, free_port, serve

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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("server"), *SMALL, "--scenario", "steady") as running:
        yield running


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


def test_pools_are_all_there_and_conserved(server: Server) -> None:
    status, body = server.get("/api/pools")
    assert status == 200
    names = {item["pool"]["name"] for item in body["items"]}
    assert names == {"request_slots", "kv_pages", "radix", "host_logical", "mm_feature"}
    for item in body["items"]:
        pool = item["pool"]
        parts = ("available", "evictable", "protected", "held", "retired", "leaked")
        assert sum(pool[part] for part in parts) == pool["capacity"], pool["name"]
        assert pool["source"] == "synthetic"


def test_numbers_move(server: Server) -> None:
    first = server.get("/api/pools/local/kv_pages")[1]
    later = server.until(
        "/api/pools/local/kv_pages",
        lambda _, body: body["pool"]["counters"] != first["pool"]["counters"],
    )
    assert later["seq"] > first["seq"]


def test_snapshot_has_a_strong_etag(server: Server) -> None:
    server.post("/api/workload/pause")
    try:
        time.sleep(0.3)
        with urllib.request.urlopen(f"{server.base}/api/pools/local/kv_pages") as answer:
            tag = answer.headers["etag"]
        assert tag.startswith('"')
        status, _ = server.get("/api/pools/local/kv_pages", **{"If-None-Match": tag})
        assert status in (200, 304), "304 unless a sample came in between"
    finally:
        server.post("/api/workload/resume")


@pytest.mark.parametrize(
    ("path", "status", "named"),
    [
        ("/api/pools/local/kv_page", 404, "did you mean 'kv_pages'"),
        ("/api/pools/locl/kv_pages", 404, "did you mean 'local'"),
        ("/api/pools/local/radix/slots", 404, "view of 'kv_pages'"),
        ("/api/pools/local/kv_pages/leases", 404, "no leases"),
        ("/api/errors/no-such-code", 404, "no-such-code"),
        ("/api/history?pool=nonsense", 404, "no pool 'nonsense'"),
        ("/api/history?pool=kv_pages&points=0", 422, "points"),
        ("/api/nothing", 404, ""),
    ],
)
def test_errors_are_problem_documents(server: Server, path: str, status: int, named: str) -> None:
    got, body = server.get(path, Accept="application/json")
    assert got == status
    assert {"type", "title", "status", "detail"} <= body.keys()
    assert named in json.dumps(body)


def test_seed_error_is_found_by_its_id(server: Server) -> None:
    for id_ in ("5005b2b87598a62d", "d317b25cfb0662df", "ba4db60e324417e3"):
        status, body = server.get(f"/api/errors/{id_}", Accept="application/json")
        assert (status, body["id"]) == (200, id_)


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


def test_cross_site_requests_are_refused(server: Server) -> None:
    status, body = server.post("/api/workload/pause", Origin="http://evil.example")
    assert status == 403, body
    status, _ = server.get("/api/pools", Host="evil.example")
    assert status == 421
    address, origin = f"ws://127.0.0.1:{server.port}/ws", Origin("http://evil.example")
    with pytest.raises(InvalidStatus), connect(address, origin=origin):
        pass


def test_host_socket_needs_its_token(server: Server) -> None:
    address = f"ws://127.0.0.1:{server.port}/ws/host?host=intruder"
    with pytest.raises(InvalidStatus), connect(address):
        pass


@pytest.mark.parametrize(
    ("command", "body", "named"),
    [
        ("speed", {"x": -1}, "above 0"),
        ("speed", {"x": True}, "above 0"),
        ("step", {"steps": 0}, "1.."),
        ("scenario", {"scenario": "nonsense"}, "none of"),
        ("inject", {"fault": "nonsense"}, "none of"),
        ("load", {"trace": "../../etc/passwd"}, "trace"),
    ],
)
def test_bad_command_says_what_is_accepted(
    server: Server, command: str, body: Any, named: str
) -> None:
    status, problem = server.post(f"/api/workload/{command}", body)
    assert status == 422
    assert named in problem["detail"]


def test_unknown_command_names_the_nearest(server: Server) -> None:
    status, problem = server.post("/api/workload/pauze")
    assert status == 404
    assert "did you mean 'pause'" in problem["detail"]


def test_pause_step_resume(server: Server) -> None:
    server.post("/api/workload/pause")
    server.until("/api/hosts/local", lambda _, body: body["state"] == "paused")
    before = server.get("/api/workload")[1]["engine"]["step"]
    assert server.post("/api/workload/step", {"steps": 3})[1]["result"]["steps"] == 3
    server.until("/api/workload", lambda _, body: body["engine"]["step"] == before + 3)
    server.post("/api/workload/resume")
    server.until("/api/workload", lambda _, body: body["engine"]["step"] > before + 3)


def test_metrics_are_parsed_by_the_prometheus_client(server: Server) -> None:
    status, text = server.get("/metrics")
    assert status == 200
    families = {family.name: family for family in text_string_to_metric_families(text)}
    size = families["poolscope_pool_size"]
    states = {s.labels["state"] for s in size.samples if s.labels["pool"] == "kv_pages"}
    assert {"available", "evictable", "protected", "held", "leaked"} <= states
    assert families["poolscope_host_up"].samples[0].value == 1.0


def test_openapi_names_every_operation_and_schema(server: Server) -> None:
    document = server.get("/openapi.json")[1]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation.get("operationId"), f"{method} {path}"
            assert "_" not in operation["operationId"], operation["operationId"]


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


def test_killed_web_process_leaves_no_orphan(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL) as running:
        pid = running.host_pid()
        running.process.kill()
        deadline = time.monotonic() + 2.0
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not alive(pid), "the host must end within 2 s of its parent"


def test_second_server_on_the_port_says_so(server: Server) -> None:
    command = [sys.executable, "-m", "app.cli", "serve", "--port", str(server.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert f"port {server.port} on 127.0.0.1 is taken" in done.stderr


def test_second_host_joins_with_the_token_file(server: Server, tmp_path: Path) -> None:
    token_file = server.data_dir / f"host-token-{server.port}"
    command = [
        sys.executable,
        "-m",
        "app.cli",
        "host",
        "--connect",
        server.base,
        "--name",
        "second",
    ]
    command += ["--token-file", str(token_file), *SMALL]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        server.until("/api/hosts", lambda _, body: body["total"] == 2)
        server.until("/api/hosts/second", lambda _, body: body["state"] == "live")
        assert server.get("/api/pools/second/kv_pages")[0] == 200
        assert server.get("/?host=second")[0] == 200
    finally:
        process.kill()
        process.wait()
    server.until("/api/hosts/second", lambda _, body: body["state"] == "disconnected")


def test_open_address_without_a_token_is_refused() -> None:
    command = [sys.executable, "-m", "app.cli", "serve", "--host", "0.0.0.0"]
    command += ["--port", str(free_port())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "--token" in done.stderr


def test_token_guards_everything_but_livez(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL, "--token", "s3cret", "--no-pool-host", wait=False) as running:
        running.until("/livez", lambda status, _: status == 200)
        assert running.get("/api/hosts")[0] == 401
        assert running.get("/api/hosts", Authorization="Bearer wrong")[0] == 401
        assert running.get("/api/hosts", Authorization="Bearer s3cret")[0] == 200
        assert running.get("/api/hosts", Cookie="poolscope_token=s3cret")[0] == 200
        assert running.get("/readyz", Authorization="Bearer s3cret")[0] == 503


def test_read_only_server_changes_nothing(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL, "--read-only") as running:
        status, problem = running.post("/api/workload/pause")
        assert status == 403
        assert "--read-only" in problem["detail"]
        assert running.get("/api/hosts/local")[1]["state"] == "live"
