"""Every way to fail leaves the server as a problem document, or as a page for a browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.templating import Jinja2Templates
from httpx import ASGITransport, AsyncClient

from app.routes.problem import ProblemError, install_problem_handlers, problem

TEMPLATES = Path(__file__).parents[2] / "templates"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.fixture
async def client() -> AsyncIterator[AsyncClient]:
    app = FastAPI()
    install_problem_handlers(app)
    app.state.templates = Jinja2Templates(directory=TEMPLATES)
    app.state.templates.env.globals["asset"] = lambda path: f"/static/{path}"

    @app.get("/raise")
    async def _raise() -> None:
        raise ProblemError(409, "Busy", "try again", code="queue-full", waiting=7)

    @app.get("/api/number")
    async def _number(n: int) -> int:
        return n

    @app.get("/api/crash")
    async def _crash() -> None:
        raise RuntimeError("secret of the inside")

    transport = ASGITransport(app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://testserver") as client:
        yield client


async def test_problem_error_carries_extensions_and_the_catalog_page_as_type(
    client: AsyncClient,
) -> None:
    answer = await client.get("/raise")
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "code": "queue-full",
        "waiting": 7,
        "type": "/errors/queue-full",
        "title": "Busy",
        "status": 409,
        "detail": "try again",
    }


async def test_unknown_path_says_which(client: AsyncClient) -> None:
    answer = await client.get("/api/nothing")
    assert answer.status_code == 404
    assert answer.json()["title"] == "Not Found"
    assert "/api/nothing" in answer.json()["detail"]


async def test_wrong_method_names_the_right_one(client: AsyncClient) -> None:
    answer = await client.post("/api/number")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    assert "use GET" in answer.json()["detail"]


async def test_invalid_input_names_the_field(client: AsyncClient) -> None:
    answer = await client.get("/api/number", params={"n": "many"})
    assert answer.status_code == 422
    body = answer.json()
    assert body["errors"][0]["field"] == "query.n"
    assert "query.n" in body["detail"]
    assert "many" not in str(body)


async def test_a_crash_keeps_the_inside_inside(client: AsyncClient) -> None:
    answer = await client.get("/api/crash")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text


async def test_browser_gets_a_page_but_never_under_api(client: AsyncClient) -> None:
    page = await client.get("/nothing", headers=BROWSER)
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["vary"] == "Accept"
    assert "Not Found" in page.text
    script = await client.get("/api/nothing", headers=BROWSER)
    assert script.headers["content-type"] == "application/problem+json"


def test_extensions_cannot_replace_the_standard_members() -> None:
    answer = problem(404, "Unknown", "no such thing", nearest=["a"])
    assert b'"title": "Unknown"' in answer.body
    with pytest.raises(TypeError):
        problem(404, "Unknown", "no such thing", status=200)
