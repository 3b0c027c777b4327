"""A log over REST and as a page: every form of body, limits, read-only, nothing echoed."""

import gzip
import json
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from app.main import create_app
from app.routes.diagnose_models import DiagnosisOut
from app.routes.log_body import MAX_LOG_BYTES, MAX_LOG_CHARS
from app.routes.usage_chart import usage_chart
from app.settings import Settings
from tests.diagnose.logs import at, batch, crash, kv_oom
from tests.routes.catalog_app import BROWSER, Page

OOM = crash(9, kv_oom("Prefill", 1_500, 0) + " <script>alert(1)</script>")
TEXT = {"Content-Type": "text/plain"}


def app_of(*, read_only: bool = False) -> FastAPI:
    return create_app(Settings(run_host=False, read_only=read_only))


def client_of(app: FastAPI) -> AsyncClient:
    return AsyncClient(transport=ASGITransport(app), base_url="http://testserver")


@pytest.fixture
async def client() -> AsyncIterator[AsyncClient]:
    async with client_of(app_of()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (OOM.encode(), "text/plain"),
        (OOM.encode(), "text/plain; charset=utf-8"),
        (OOM.encode("utf-16"), "application/octet-stream"),
        (gzip.compress(OOM.encode()), "application/gzip"),
        (json.dumps({"text": OOM}).encode(), "application/json"),
    ],
)
async def test_every_form_of_body(client: AsyncClient, body: bytes, kind: str) -> None:
    answer = await client.post("/api/diagnose", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 200
    found = DiagnosisOut.model_validate(answer.json())
    assert found.verdict.code == "kv-prefill-oom"
    assert found.entry is not None
    assert found.events[0].numbers["need_tokens"] == 1_500


async def test_a_form_with_a_file_wins_over_its_text(client: AsyncClient) -> None:
    answer = await client.post(
        "/api/diagnose",
        files={"file": ("a.log.gz", gzip.compress(OOM.encode()))},
        data={"text": "nothing"},
    )
    assert answer.json()["verdict"]["code"] == "kv-prefill-oom"
    only_text = await client.post("/api/diagnose", files={"file": ("", b"")}, data={"text": OOM})
    assert only_text.json()["verdict"]["code"] == "kv-prefill-oom"


@pytest.mark.parametrize(
    ("body", "kind", "status", "words"),
    [
        (b"", "text/plain", 422, "paste a log"),
        (b"  \r\n ", "text/plain", 422, "paste a log"),
        (b"{", "application/json", 422, "no JSON"),
        (b"[" * 100_000, "application/json", 422, "no JSON"),
        (b'{"text": 5}', "application/json", 422, "body.text"),
        (b'{"log": "x"}', "application/json", 422, "body.text"),
        (b"x", "image/png", 415, "image/png"),
        (b"x", "multipart/form-data", 422, "boundary"),
        (bytes(range(256)) * 500, "application/octet-stream", 422, "no text"),
    ],
)
async def test_a_bad_body_is_a_problem_document(
    client: AsyncClient, body: bytes, kind: str, status: int, words: str
) -> None:
    answer = await client.post("/api/diagnose", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_log_above_the_limit_is_refused_with_what_to_do(
    client: AsyncClient, chunked: bool
) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range((MAX_LOG_BYTES >> 20) + 1):
            yield b"x" * (1 << 20)

    body = pieces() if chunked else b"x" * (MAX_LOG_BYTES + 1)
    answer = await client.post("/api/diagnose", content=body, headers=TEXT)
    assert answer.status_code == 413
    assert "poolscope diagnose FILE" in answer.json()["detail"]
    assert answer.json()["limit_bytes"] == MAX_LOG_BYTES


async def test_a_small_body_that_unpacks_to_too_much_is_refused(client: AsyncClient) -> None:
    bomb = gzip.compress(b"\n" * (MAX_LOG_CHARS + 1), compresslevel=9)
    assert len(bomb) < MAX_LOG_BYTES // 100
    answer = await client.post("/api/diagnose", content=bomb, headers=TEXT)
    assert answer.status_code == 413
    assert answer.json()["title"] == "Log too large"


async def test_other_paths_keep_the_smaller_limit(client: AsyncClient) -> None:
    answer = await client.post("/api/errors/match", json={"text": "x" * (5 << 20)})
    assert answer.status_code == 413


async def test_a_read_only_server_diagnoses(client: AsyncClient) -> None:
    async with client_of(app_of(read_only=True)) as locked:
        assert (await locked.post("/api/diagnose", content=OOM, headers=TEXT)).status_code == 200
        assert (await locked.post("/diagnose", files={"text": (None, OOM)})).status_code == 200


async def test_another_site_may_not_send_logs(client: AsyncClient) -> None:
    headers = {**TEXT, "Origin": "https://example.org"}
    answer = await client.post("/api/diagnose", content=OOM, headers=headers)
    assert answer.status_code == 403


async def test_page_answers_without_javascript(client: AsyncClient) -> None:
    lines = [
        at(1, "") + "server_args=ServerArgs(tp_size=8, max_running_requests=64, "
        "api_key='sk-abc123456789def')",
        *(batch(second, running=second, usage=second / 100) for second in range(2, 90)),
    ]
    log = "\n".join(lines) + "\n" + crash(99, kv_oom("Prefill", 1_500, 0) + " <script>x</script>")
    answer = await client.post("/diagnose", files={"text": (None, log)}, headers=BROWSER)
    assert answer.status_code == 200
    page = Page(answer.text)
    for words in ("The KV pool was full", "Evidence", "What to do", "What the log does not tell"):
        assert words in page.text
    assert "in this log --max-running-requests is 64" in " ".join(page.text.split())
    assert "/errors/kv-prefill-oom" in page.links
    assert answer.text.count("<polyline") == 3
    assert page.inline_scripts == 0
    assert "sk-abc123456789def" not in answer.text
    assert "<script>x" not in answer.text


async def test_page_says_what_is_wrong_above_the_form(client: AsyncClient) -> None:
    answer = await client.post("/diagnose", files={"file": ("", b"")}, headers=BROWSER)
    assert answer.status_code == 422
    assert "paste a log or choose a file" in Page(answer.text).text
    assert "<textarea" in answer.text


async def test_header_of_every_page_links_to_it(client: AsyncClient) -> None:
    for path in ("/", "/errors", "/diagnose"):
        assert "/diagnose" in Page((await client.get(path, headers=BROWSER)).text).links


async def test_openapi_shows_what_may_be_sent(client: AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operation = document["paths"]["/api/diagnose"]["post"]
    assert operation["operationId"] == "diagnoseLog"
    assert set(operation["requestBody"]["content"]) >= {"text/plain", "application/json"}
    assert "DiagnosisOut" in document["components"]["schemas"]


def test_chart_needs_two_points_and_stays_within_its_frame() -> None:
    one = {"readings": 1, "width_s": 1.0, "has_time": True, "series": [{"t": 1.0}]}
    assert usage_chart(None) is None
    assert usage_chart(one) is None
    series = [{"t": float(t), "usage_frac": 1.5, "running": 3, "queued": 0} for t in range(400)]
    chart = usage_chart({**one, "series": series})
    assert chart is not None
    for line in chart["shares"] + chart["counts"]:
        for point in line["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= chart["width"]
            assert 0 <= y <= chart["height"]
    assert len(chart["rows"]) <= 60
