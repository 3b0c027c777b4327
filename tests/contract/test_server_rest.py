"""REST of a real server with a real host process: what scripts rely on."""

import json
import time
import urllib.request
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.contract.server import Server


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


def test_the_pools_page_sets_all_bounds_side_by_side(server: Server) -> None:
    with urllib.request.urlopen(f"{server.base}/pools") as answer:
        page = answer.read().decode()
    for shown in ("half the KV tokens", "KV at 4,096 tokens each", "--max-running-requests"):
        assert f'<th scope="row">{shown}</th>' in page
    assert page.count("<td>binds</td>") >= 1


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


def test_cross_site_requests_are_refused(server: Server) -> None:
    status, body = server.post("/api/workload/pause", Origin="http://evil.example")
    assert status == 403, body
    status, _ = server.get("/api/pools", Host="evil.example")
    assert status == 421
    address, origin = f"ws://127.0.0.1:{server.port}/ws", Origin("http://evil.example")
    with pytest.raises(InvalidStatus), connect(address, origin=origin):
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


@pytest.mark.parametrize("path", ["/", "/livez", "/api/pools", "/docs"])
def test_head_answers_where_get_does(server: Server, path: str) -> None:
    request = urllib.request.Request(server.base + path, method="HEAD")
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200
        assert answer.read() == b""


def test_unknown_host_of_a_page_is_told(server: Server) -> None:
    assert server.get("/?host=nosuch")[0] == 404


def test_unknown_field_of_a_command_is_named(server: Server) -> None:
    status, problem = server.post("/api/workload/speed", {"speed": 2})
    assert status == 422
    assert "'speed' is no field of speed: speed takes x" in problem["detail"]
    status, problem = server.post("/api/workload/inject", {"fault": "over-admision"})
    assert "did you mean 'over-admission'" in problem["detail"]
