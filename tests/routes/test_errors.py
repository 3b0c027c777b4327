"""The catalog over HTTP: lists, filters, entries, matching, pages and their JSON twins."""

import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.templating import Jinja2Templates
from httpx import ASGITransport, AsyncClient

from app.catalog.catalog import CATALOG
from app.catalog.document import document
from app.hub.hub import Hub
from app.hub.ingest import Ingest
from app.routes import errors
from app.routes.error_models import ErrorOut
from app.routes.problem import install_problem_handlers
from tests.hub.hosts import TinyHost

TEMPLATES = Path(__file__).parents[2] / "templates"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LINE = (
    "[2025-09-13 09:09:21 TP0] RuntimeError: alloc_req_slots runs out of memory. Please set a "
    "smaller number for `--max-running-requests`. "
    "self.req_to_token_pool.available_size()=1, num_reqs=2, "
)


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()
    app.include_router(errors.router)
    install_problem_handlers(app)
    app.state.templates = Jinja2Templates(directory=TEMPLATES)
    app.state.templates.env.globals["asset"] = lambda path: f"/static/{path}"
    return app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app)
    async with AsyncClient(transport=transport, base_url="http://testserver") as client:
        yield client


VOID = {"meta", "link", "input", "br", "img", "hr", "path", "circle"}


class Page(HTMLParser):
    """Visible text and links of a page; says when tags do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.links, self.open = "", [], []
        self.inline_scripts = 0
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            self.links.append(given.get("href"))
        self.inline_scripts += tag == "script" and "src" not in given
        self.inline_scripts += any(name.startswith("on") for name in given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


async def test_list_pages_through_all_entries_worst_first(client: AsyncClient) -> None:
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = (await client.get("/api/errors", params={"limit": 7, "cursor": cursor})).json()
        assert page["total"] == len(CATALOG.entries)
        seen += [item["code"] for item in page["items"]]
        cursor = page["next"]
    assert seen == [entry.code for entry in CATALOG.entries]
    assert CATALOG.by_code[seen[0]].severity == "critical"
    assert CATALOG.by_code[seen[-1]].severity == "warning"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"q": "5005b2b87598a62d"}, "alloc-req-slots-exhausted"),
        ({"q": "Request slots ran"}, "alloc-req-slots-exhausted"),
        ({"q": "--max-loras-per-batch"}, "lora-pin-would-starve"),
        ({"q": LINE}, "alloc-req-slots-exhausted"),
        ({"severity": "warning", "pool": "mm_feature"}, "mm-ipc-pool-full"),
        ({"origin": "poolscope", "reach": "operator"}, "pool-memory-budget-exceeded"),
    ],
)
async def test_list_finds_first(client: AsyncClient, params: dict[str, str], code: str) -> None:
    items = (await client.get("/api/errors", params=params)).json()["items"]
    assert items[0]["code"] == code


async def test_filters_hold_for_an_exact_hit_too(client: AsyncClient) -> None:
    params = {"q": "alloc-req-slots-exhausted", "severity": "warning"}
    items = (await client.get("/api/errors", params=params)).json()["items"]
    assert all(item["severity"] == "warning" for item in items)


async def test_list_names_a_bad_filter(client: AsyncClient) -> None:
    answer = await client.get("/api/errors", params={"severity": "fatal"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["field"] == "query.severity"


@pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.code)
async def test_entry_by_code_and_by_id_is_the_same_valid_document(
    client: AsyncClient, entry: object
) -> None:
    one = CATALOG.by_code[entry.code]  # type: ignore[attr-defined]
    by_code = await client.get(f"/api/errors/{one.code}")
    by_id = await client.get(f"/api/errors/{one.id}")
    assert by_code.json() == by_id.json() == document(one)
    ErrorOut.model_validate(by_id.json())


async def test_full_entry_has_every_heading(client: AsyncClient) -> None:
    for key in ("5005b2b87598a62d", "d317b25cfb0662df", "ba4db60e324417e3"):
        entry = (await client.get(f"/api/errors/{key}")).json()
        for name in (
            *("project", "severity", "exception", "title", "message", "meaning", "source"),
            *("remedies", "example_before", "example_after", "trigger", "situations", "related"),
        ):
            assert entry[name], (key, name)
        assert any(remedy["status"] == "refuted" for remedy in entry["remedies"])


async def test_etag_is_strong_and_spares_the_body(client: AsyncClient) -> None:
    first = await client.get("/api/errors/queue-full")
    tag = first.headers["etag"]
    assert tag.startswith('"')
    again = await client.get("/api/errors/queue-full", headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert again.content == b""
    other = await client.get("/api/errors/mm-ipc-pool-full", headers={"If-None-Match": tag})
    assert other.status_code == 200


async def test_unknown_code_names_the_nearest(client: AsyncClient) -> None:
    answer = await client.get("/api/errors/alloc-req-slot-exhausted")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["nearest"][0]["code"] == "alloc-req-slots-exhausted"
    assert "did you mean" in body["detail"]


async def test_match_reads_numbers_and_folds_ranks(client: AsyncClient) -> None:
    log = "starting\n" + "\n".join(LINE.replace("TP0", f"TP{rank}") for rank in range(4))
    body = (await client.post("/api/errors/match", json={"text": log})).json()
    assert body["total"] == 1
    assert body["items"][0]["code"] == "alloc-req-slots-exhausted"
    assert body["items"][0]["numbers"] == {"available_size": 1, "num_reqs": 2}
    assert (body["items"][0]["line"], body["items"][0]["times"]) == (2, 4)


async def test_match_without_a_hit_guesses(client: AsyncClient) -> None:
    body = (await client.post("/api/errors/match", json={"text": "request slots ran out"})).json()
    assert body["items"] == []
    assert body["nearest"][0]["code"] == "alloc-req-slots-exhausted"


@pytest.mark.parametrize("sent", [b"", b"{}", b'{"text": ""}', b'{"text": 7}', b"not json"])
async def test_match_refuses_a_bad_body(client: AsyncClient, sent: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await client.post("/api/errors/match", content=sent, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith("body")


@pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.code)
async def test_page_of_each_entry_is_whole_and_its_links_resolve(
    client: AsyncClient, entry: object
) -> None:
    one = CATALOG.by_code[entry.code]  # type: ignore[attr-defined]
    answer = await client.get(one.href, headers=BROWSER)
    assert answer.status_code == 200
    assert answer.headers["vary"] == "Accept"
    page = Page(answer.text)
    assert page.inline_scripts == 0
    text = re.sub(r"\s+", " ", page.text)
    plain = [one.verdict, one.meaning, one.trigger, *(remedy.text for remedy in one.remedies)]
    for words in plain:
        assert re.sub(r"\s+", " ", words.replace("`", "")) in text
    assert one.message.strip() in page.text
    assert ("not yet proven" in text) is not one.proven
    for href in page.links:
        if href and href.startswith("/errors/"):
            assert CATALOG.get(href.removeprefix("/errors/")), href


async def test_page_strikes_refuted_advice_and_shows_why(client: AsyncClient) -> None:
    html = (await client.get("/errors/alloc-req-slots-exhausted", headers=BROWSER)).text
    struck = re.findall(r"<s>(.*?)</s>", html, re.S)
    assert any("--context-length" in one for one in struck)
    assert "longer is fewer" in html
    assert html.index("What to do") < html.index("Does not help") < html.index(">Message<")


async def test_one_address_gives_json_to_scripts_and_a_page_to_browsers(
    client: AsyncClient,
) -> None:
    script = await client.get("/errors/queue-full", headers={"Accept": "application/json"})
    assert script.json()["code"] == "queue-full"
    assert script.headers["vary"] == "Accept"
    curl = await client.get("/errors/queue-full")
    assert curl.headers["content-type"] == "application/json"
    listed = await client.get("/errors", headers={"Accept": "application/json"})
    assert listed.json()["total"] == len(CATALOG.entries)


async def test_unknown_page_is_a_404_page_with_the_nearest(client: AsyncClient) -> None:
    answer = await client.get("/errors/mm-ipc-pool-ful", headers=BROWSER)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "/errors/mm-ipc-pool-full" in Page(answer.text).links


async def test_list_page_filters_by_address_and_recognises_a_line(client: AsyncClient) -> None:
    answer = await client.get("/errors", params={"pool": "mm_feature"}, headers=BROWSER)
    links = Page(answer.text).links
    assert "/errors/mm-ipc-pool-full" in links
    assert "/errors/kv-decode-oom" not in links
    pasted = await client.get("/errors", params={"q": LINE}, headers=BROWSER)
    text = Page(pasted.text).text
    assert "This line is Request slots ran out" in text


async def test_list_page_says_when_nothing_fits_and_escapes_what_was_asked(
    client: AsyncClient,
) -> None:
    asked = {"q": "<script>alert(1)</script>", "severity": "<b>"}
    answer = await client.get("/errors", params=asked, headers=BROWSER)
    assert "<script>alert" not in answer.text
    assert "<b>" not in answer.text.replace("<b>scope", "")
    assert "No error fits" in Page(answer.text).text


async def test_recent_occurrences_are_shown(client: AsyncClient, app: FastAPI) -> None:
    app.state.hub = Hub()
    host, ingest = TinyHost(), Ingest(app.state.hub, "local", _discard)
    ingest.take(host.hello())
    ingest.take(host.event("The request queue is full.", code="queue-full"))
    text = Page((await client.get("/errors/queue-full", headers=BROWSER)).text).text
    assert "local, 1.0 s simulated" in text
    other = Page((await client.get("/errors/kv-decode-oom", headers=BROWSER)).text).text
    assert "Raised here" not in other


async def _discard(message: str) -> None:
    """A host that gets no commands."""
