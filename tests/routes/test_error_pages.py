"""The catalog's pages: whole, safe, readable without scripts, and the JSON behind them."""

import re
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.catalog.catalog import CATALOG
from app.hub.hub import Hub
from app.hub.ingest import Ingest
from pools.errors import ReqSlotsExhausted
from tests.hub.hosts import TinyHost
from tests.routes.catalog_app import BROWSER, Page, catalog_app, client_of

LINE = f"[2025-09-13 09:09:21 TP0] RuntimeError: {ReqSlotsExhausted(1, 2)}"


@pytest.fixture
def app() -> FastAPI:
    return catalog_app()


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with client_of(app) as client:
        yield client


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
