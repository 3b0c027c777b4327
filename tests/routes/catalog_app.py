"""An application with nothing but the catalog's routes, and a reader of its pages."""

from html.parser import HTMLParser
from pathlib import Path

from fastapi import FastAPI
from fastapi.templating import Jinja2Templates
from httpx import ASGITransport, AsyncClient

from app.routes import errors
from app.routes.problem import install_problem_handlers

TEMPLATES = Path(__file__).parents[2] / "templates"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def catalog_app() -> FastAPI:
    app = FastAPI()
    app.include_router(errors.router)
    install_problem_handlers(app)
    app.state.templates = Jinja2Templates(directory=TEMPLATES)
    app.state.templates.env.globals["asset"] = lambda path: f"/static/{path}"
    return app


def client_of(app: FastAPI) -> AsyncClient:
    return AsyncClient(transport=ASGITransport(app), base_url="http://testserver")


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
