"""Accept headers as browsers, curl and picky scripts send them."""

import pytest
from starlette.requests import Request

from app.routes.accept import prefers_html, quality

FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "html"),
    [
        (FIREFOX, True),
        ("text/html", True),
        ("application/json", False),
        ("*/*", False),
        ("", False),
        ("application/json, text/html;q=0.5", False),
        ("application/json;q=0.2, text/*", True),
        ("text/html;q=0, */*", False),
        ("text/html;q=nonsense", False),
        ("application/problem+json, text/html;q=0.9", False),
    ],
)
def test_prefers_html(accept: str, *, html: bool) -> None:
    headers = [(b"accept", accept.encode())] if accept else []
    request = Request({"type": "http", "headers": headers})
    assert prefers_html(request) is html


def test_quality_takes_the_most_specific_range() -> None:
    assert quality("*/*;q=0.1, text/*;q=0.5, text/html;q=0.9", "text/html") == 0.9
    assert quality("*/*;q=0.1, text/*;q=0.5", "text/html") == 0.5
