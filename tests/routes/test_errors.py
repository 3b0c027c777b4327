"""The catalog over HTTP: lists, filters, entries, matching, pages and their JSON twins."""

from collections.abc import AsyncIterator

import pytest
from httpx import AsyncClient

from app.catalog.catalog import CATALOG
from app.catalog.document import document
from app.routes.error_models import ErrorOut
from tests.routes.catalog_app import catalog_app, client_of

LINE = (
    "[2025-09-13 09:09:21 TP0] RuntimeError: alloc_req_slots runs out of memory. Please set a "
    "smaller number for `--max-running-requests`. "
    "self.req_to_token_pool.available_size()=1, num_reqs=2, "
)


@pytest.fixture
async def client() -> AsyncIterator[AsyncClient]:
    async with client_of(catalog_app()) as client:
        yield client


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
        ({"q": "--max-lora-rank"}, "lora-rank-incompatible"),
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
