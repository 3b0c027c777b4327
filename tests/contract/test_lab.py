"""The lab behind the pages: a process of its own, there when it is used, gone when it is not."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from app.main import create_app
from app.settings import Settings
from tests.contract.server import SMALL, START_S, Server, alive, children_of, free_port, serve

CODE = "alloc-req-slots-exhausted"
TRY = {"cause": "leaked-rows", "remedy": "lower-max-running-requests"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("lab"), *SMALL, "--scenario", "steady") as running:
        yield running


def reproduce(server: Server, **body: Any) -> tuple[int, Any]:
    """The first answer; a lab that still starts is waited for, on a busy machine for long."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            return server.post(f"/api/errors/{CODE}/reproduce", body)
        except TimeoutError:
            assert time.monotonic() < deadline, "the lab does not start"


def test_reproduce_shows_the_message_and_the_pools_when_it_failed(server: Server) -> None:
    status, seen = reproduce(server)
    assert (status, seen["reproduced"], seen["cause"]) == (200, True, "rows-held-by-sessions")
    before = seen["before"]
    assert before["numbers"][CODE] == {"available_size": 8, "num_reqs": 12}
    rows = next(pool for pool in before["pools"] if pool["name"] == "request_slots")
    assert (rows["held"], rows["cells"].count("1"), rows["capacity"]) == (40, 40, 48)


def test_try_computes_the_outcome_and_explains_the_word(server: Server) -> None:
    status, seen = server.post(f"/api/errors/{CODE}/try", TRY)
    assert (status, seen["status"], seen["values"]) == (200, "refuted", 4)
    assert seen["meaning"].endswith("it does not help")
    assert seen["before"]["offered_key"] == seen["after"]["offered_key"]
    status, seen = server.post(f"/api/errors/{CODE}/try", {"remedy": "raise-max-running-requests"})
    assert (seen["status"], seen["after"]["finished"]) == ("proved", 12)


def test_a_try_leaves_what_is_watched_alone(server: Server) -> None:
    watched, incidents = server.get("/api/hosts/local")[1], server.get("/api/incidents")[1]
    assert reproduce(server, cause="rows-promised-twice")[0] == 200
    after = server.until("/api/hosts/local", lambda _, body: body["seq"] > watched["seq"])
    assert (after["epoch"], after["state"]) == (watched["epoch"], "live")
    assert server.get("/api/incidents")[1]["total"] == incidents["total"], "a try is no incident"
    raised_here = server.get("/errors/" + CODE, Accept="text/html")[1]
    assert "Raised here" not in raised_here


def test_the_lab_streams_like_any_host(server: Server) -> None:
    assert reproduce(server)[0] == 200
    seen = server.until(
        "/api/pools/lab/request_slots",
        lambda status, body: status == 200 and body["pool"]["held"] == 40,
    )
    assert (seen["host"], seen["pool"]["source"]) == ("lab", "synthetic")


def test_a_lab_that_is_killed_is_started_again_and_nothing_else_is(server: Server) -> None:
    assert reproduce(server)[0] == 200
    first, lab = children_of(server.process.pid)
    os.kill(lab, signal.SIGKILL)
    answers = [reproduce(server)[0] for _ in range(2)]
    assert answers in ([200, 200], [503, 200]), "at most the try that finds it dead fails"
    assert children_of(server.process.pid)[0] == first
    assert alive(first)
    assert not alive(lab)


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        (f"{CODE}/reproduce", {"cause": "bad-luck"}, 404, "rows-held-by-sessions"),
        (f"{CODE}/try", {"remedy": "pray"}, 422, "end-the-holder"),
        (f"{CODE}/try", {}, 422, "remedy"),
        (f"{CODE}/try", {"remedy": "upgrade", "extra": 1}, 422, "extra"),
        ("no-such-error/reproduce", {}, 404, "no error"),
        ("vmm-needs-mm-processor/reproduce", {}, 404, "no cause"),
    ],
)
def test_what_cannot_be_run_is_refused_with_what_can(
    server: Server, path: str, body: dict[str, Any], status: int, words: str
) -> None:
    answered, problem = server.post(f"/api/errors/{path}", body)
    assert answered == status
    assert words in str(problem)


def test_read_only_refuses_and_offers_no_button(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL, "--read-only") as server:
        assert reproduce(server)[0] == 403
        assert server.post(f"/api/errors/{CODE}/try", TRY)[0] == 403
        page = server.get("/errors/" + CODE, Accept="text/html")[1]
        assert "data-try=" not in page
        assert "data-reproduce=" not in page
        assert "nothing can be tried from this page" in page
        assert len(children_of(server.process.pid)) == 1


def test_an_idle_lab_is_ended_and_forgotten(tmp_path: Path) -> None:
    port = free_port()
    app = create_app(Settings(port=port, run_host=False))
    app.state.lab.idle_s = 0.3
    config = uvicorn.Config(app, port=port, log_level="warning", ws="websockets-sansio")
    web = uvicorn.Server(config)
    thread = threading.Thread(target=web.run)
    thread.start()
    try:
        server = Server(None, port, tmp_path)  # type: ignore[arg-type]
        server.until("/livez", lambda status, _: status == 200)
        assert app.state.lab.pid is None
        assert reproduce(server)[0] == 200
        pid = app.state.lab.pid
        assert server.get("/readyz")[0] == 503, "a lab alone watches nothing"
        server.until("/api/hosts", lambda status, body: body["total"] == 0)
        assert not alive(pid)
        assert reproduce(server)[0] == 200, "and it starts again"
        pid = app.state.lab.pid
    finally:
        web.should_exit = True
        thread.join(10)
    assert not alive(pid), "it ends with the server"
