"""Incidents over a real server: raised, listed, played, exported, imported."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from app.incidents.window import messages
from app.wire.frame import decode
from tests.contract.server import SMALL, Server, serve


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("server"), *SMALL, "--scenario", "steady") as running:
        yield running


@pytest.fixture(scope="module")
def incident(server: Server) -> dict[str, Any]:
    time.sleep(1.0)
    status, body = server.post("/api/workload/inject", {"fault": "over-admission"})
    assert status == 200, body
    listed = server.until("/api/incidents", lambda _, body: body.get("total", 0) >= 1)
    found: dict[str, Any] = listed["items"][-1]
    return found


def raw(server: Server, path: str) -> bytes:
    with urllib.request.urlopen(server.base + path, timeout=10) as answer:
        body: bytes = answer.read()
        return body


def test_fault_is_an_incident_with_its_numbers(server: Server, incident: dict[str, Any]) -> None:
    assert incident["code"] == "alloc-req-slots-exhausted"
    status, full = server.get(f"/api/incidents/{incident['id']}")
    assert status == 200
    rows = full["scalars"]["pools"]["request_slots"]
    assert rows["available"] + rows["held"] == rows["capacity"]
    assert full["before_bytes"] > 0
    (event,) = server.get(f"/api/events?code={incident['code']}")[1]["items"]
    assert event["incident"] == incident["id"]


def test_frames_begin_with_a_whole_state(server: Server, incident: dict[str, Any]) -> None:
    kinds = [
        decode(message)[0]["kind"]
        for message in messages(raw(server, f"/api/incidents/{incident['id']}/frames"))
    ]
    assert kinds[0] == "hello"
    assert {"scalars", "keyframe", "delta"} <= set(kinds)


def test_export_is_imported_again(server: Server, incident: dict[str, Any]) -> None:
    file = raw(server, f"/api/incidents/{incident['id']}/export")
    request = urllib.request.Request(f"{server.base}/api/incidents/import", file, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201
    assert server.get(f"/api/incidents/{incident['id']}")[1]["imported"] is True


@pytest.mark.parametrize("body", [b"", b"no incident", b"\x10\0\0\0\0\0\0\0{}"])
def test_bad_import_is_refused_and_adds_nothing(server: Server, body: bytes) -> None:
    total = server.get("/api/incidents")[1]["total"]
    request = urllib.request.Request(f"{server.base}/api/incidents/import", body, method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    refused.value.close()
    assert refused.value.code == 422
    assert server.get("/api/incidents")[1]["total"] == total


def test_pages_show_it(server: Server, incident: dict[str, Any]) -> None:
    status, listed = server.get("/incidents", Accept="text/html")
    assert status == 200
    assert incident["href"] in listed
    status, page = server.get(incident["href"], Accept="text/html")
    assert status == 200
    assert "alloc_req_slots runs out of memory" in page
    assert server.get("/incidents/20000101-000000-00000000")[0] == 404
