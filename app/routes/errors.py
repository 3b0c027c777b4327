"""The error catalog: pages for people, JSON for scripts, one address for both."""

import hashlib
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from app import __version__
from app.catalog.catalog import CATALOG
from app.catalog.document import document, found, summary
from app.catalog.entry import (
    ORIGINS,
    PHASES,
    REACHES,
    SEVERITIES,
    STATUSES,
    ErrorEntry,
    Origin,
    Reach,
    Severity,
)
from app.catalog.match import match
from app.catalog.proof_document import tried_by_remedy
from app.routes.accept import prefers_html
from app.routes.error_models import ErrorOut, ErrorPage, MatchIn, MatchPage
from app.routes.etag import tagged
from app.routes.problem import PROBLEM_RESPONSE, ProblemError

router = APIRouter(tags=["errors"])

OCCURRENCES = 5
FILTERS = ("severity", "pool", "reach", "origin")
WORDS = {
    "severity": SEVERITIES,
    "reach": REACHES,
    "origin": ORIGINS,
    "phase": PHASES,
    "status": STATUSES,
}
Words = Annotated[str, Query(max_length=2_000, description="words, a flag, or an error line")]


@router.get("/api/errors", operation_id="listErrors")
def list_errors(
    q: Words = "",
    severity: Severity | None = None,
    pool: str | None = None,
    reach: Reach | None = None,
    origin: Origin | None = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="rows at most")] = 100,
    cursor: Annotated[int, Query(ge=0, description="`next` of the page before")] = 0,
) -> ErrorPage:
    """Errors that contain every word of `q`, or whose message it is."""
    chosen = _search(q, severity=severity, pool=pool, reach=reach, origin=origin)
    end = cursor + limit
    return ErrorPage.model_validate(
        {
            "items": [summary(entry) for entry in chosen[cursor:end]],
            "total": len(chosen),
            "next": end if end < len(chosen) else None,
        }
    )


@router.get(
    "/api/errors/{key}",
    operation_id="getError",
    response_model=ErrorOut,
    responses={304: {"description": "unchanged since the given ETag"}, 404: PROBLEM_RESPONSE},
)
def get_error(request: Request, key: str) -> Response:
    """One error by code or 16-hex id, with a strong ETag."""
    entry = known_error(key)
    return tagged(request, _tag(entry.code), lambda: document(entry))


@router.post("/api/errors/match", operation_id="matchErrors")
def match_errors(body: MatchIn) -> MatchPage:
    """Errors that a line or a whole log contains, with their numbers."""
    items = [found(one) for one in match(body.text)]
    nearest = [] if items else [summary(entry) for entry in CATALOG.nearest(body.text)]
    return MatchPage.model_validate({"items": items, "total": len(items), "nearest": nearest})


@router.get("/errors", include_in_schema=False)
async def errors_page(request: Request, q: Words = "") -> Response:
    """The catalog as a page; search and filters are the address."""
    asked = {name: request.query_params.get(name, "") for name in FILTERS}
    chosen = _search(q, **asked)
    if not prefers_html(request):
        items = [summary(entry) for entry in chosen]
        body = {"items": items, "total": len(items), "next": None}
        return JSONResponse(body, headers={"Vary": "Accept"})
    matches = match(q)
    page = {
        "entries": chosen,
        "total": len(CATALOG.entries),
        "q": q,
        "asked": asked,
        "choices": {name: CATALOG.choices(name) for name in FILTERS},
        "matches": matches,
        "recognised": [one.entry for one in matches],
        "nearest": [] if chosen else CATALOG.nearest(q),
    }
    return _render(request, "errors.html", page)


@router.get("/errors/{key}", include_in_schema=False)
async def error_page(request: Request, key: str) -> Response:
    """One error as a page, or as JSON for whoever asks for that."""
    entry = known_error(key)
    if not prefers_html(request):
        response = tagged(request, _tag(entry.code), lambda: document(entry))
        response.headers["Vary"] = "Accept"
        return response
    page = {
        "entry": entry,
        "doc": (doc := document(entry)),
        "tried": tried_by_remedy(doc["proof"]),
        "occurrences": _occurrences(request, entry.code),
    }
    return _render(request, "error.html", page)


def known_error(key: str) -> ErrorEntry:
    """The entry of a code or id.

    Raises:
        ProblemError: 404, with the nearest entries.
    """
    entry = CATALOG.get(key)
    if entry is None:
        near = [
            {"code": one.code, "title": one.title, "href": one.href} for one in CATALOG.nearest(key)
        ]
        hint = f"; did you mean {near[0]['code']!r}?" if near else "; /errors lists them all"
        raise ProblemError(404, "Unknown error", f"no error {key[:80]!r}{hint}", nearest=near)
    return entry


def _search(q: str, **filters: str | None) -> list[ErrorEntry]:
    exact = CATALOG.get(q)
    named = [exact] if exact else [one.entry for one in match(q)]
    rest = CATALOG.search(q, **filters)
    if not named:
        return rest
    allowed = CATALOG.search("", **filters)
    first = [entry for entry in dict.fromkeys(named) if entry in allowed]
    return [*first, *(entry for entry in rest if entry not in first)]


@cache
def _tag(code: str) -> str:
    body = repr(document(CATALOG.by_code[code])).encode()
    return hashlib.sha256(body).hexdigest()[:32]


def _occurrences(request: Request, code: str) -> list[dict[str, Any]]:
    # called on the event loop only: the hub changes its hosts there
    hub = getattr(request.app.state, "hub", None)
    if hub is None:
        return []
    seen = [
        event
        for state in hub.watched
        for event in state.events[-1_000:]
        if event.get("code") == code
    ]
    return sorted(seen, key=lambda event: event["t"], reverse=True)[:OCCURRENCES]


def _render(request: Request, template: str, page: dict[str, Any]) -> Response:
    settings = getattr(request.app.state, "settings", None)
    frame = {"version": __version__, "read_only": getattr(settings, "read_only", False)}
    response: Response = request.app.state.templates.TemplateResponse(
        request,
        template,
        {
            **page,
            "page": frame,
            "active": "errors",
            "words": WORDS,
            "codes": CATALOG.by_code,
        },
        headers={"Vary": "Accept", "Cache-Control": "no-cache"},
    )
    return response
