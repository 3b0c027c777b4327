"""Errors of the HTTP side as RFC 9457 problem documents, or as a page when a browser asks.

`type` is an address that can be opened: the catalog page of `code` when there is one, else
`about:blank` (the status says it all).
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from app import __version__
from app.routes.accept import prefers_html

MEDIA_TYPE = "application/problem+json"
BLANK = "about:blank"


class ProblemOut(BaseModel):
    """RFC 9457; members beyond these depend on the problem."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="a catalog page, or about:blank", examples=[BLANK])
    title: str
    status: int
    detail: str


#: for `responses=` of a route
PROBLEM_RESPONSE: dict[str, Any] = {
    "description": "A problem document",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
    "model": ProblemOut,
}


class ProblemError(Exception):
    """Raised by a route; the handler turns it into a problem document.

    Attributes:
        status: HTTP status.
        title: the kind of problem, the same words each time.
        detail: this occurrence: what was given, and what to do.
        type: URI reference of the kind.
        headers: extra response headers.
        ext: extension members of the document.
    """

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        type: str = BLANK,
        *,
        headers: Mapping[str, str] | None = None,
        **ext: object,
    ) -> None:
        super().__init__(f"{status} {title}: {detail}")
        self.status, self.title, self.detail, self.type = status, title, detail, type
        self.headers, self.ext = headers, ext


def problem(
    status: int,
    title: str,
    detail: str,
    type: str = BLANK,
    *,
    headers: Mapping[str, str] | None = None,
    **ext: object,
) -> Response:
    """A problem document; a `code` among the extensions makes its catalog page the type."""
    body = _document(status, title, detail, type, ext)
    return Response(
        json.dumps(body, ensure_ascii=False, indent=1) + "\n",
        status_code=status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def install_problem_handlers(app: FastAPI) -> None:
    """Every error of `app` leaves as a problem document, or as a page to a browser."""
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_validation)
    app.add_exception_handler(Exception, _on_crash)


def _document(
    status: int, title: str, detail: str, kind: str, ext: Mapping[str, object]
) -> dict[str, Any]:
    if kind == BLANK and isinstance(ext.get("code"), str):
        kind = f"/errors/{ext['code']}"
    members = {"type": kind, "title": title, "status": status, "detail": detail}
    extra: dict[str, Any] = jsonable_encoder(dict(ext))
    return {**extra, **members}


async def _on_problem(request: Request, error: Exception) -> Response:
    if not isinstance(error, ProblemError):
        raise error
    return _answer(
        request, error.status, error.title, error.detail, error.type, error.headers, error.ext
    )


async def _on_http(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    title = HTTPStatus(error.status_code).phrase
    detail = str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND and detail == title:
        detail = f"nothing is served at {request.url.path}; /openapi.json lists what is"
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (error.headers or {}).get("Allow", "another method")
        detail = f"{request.method} is not possible at {request.url.path}; use {allowed}"
    return _answer(request, error.status_code, title, detail, BLANK, error.headers, {})


async def _on_validation(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    # `input` and `ctx` may hold anything, even what JSON cannot say; place and reason suffice.
    errors = [{"field": _place(one["loc"]), "problem": one["msg"]} for one in error.errors()]
    detail = "; ".join(f"{one['field']}: {one['problem']}" for one in errors)
    return _answer(request, 422, "Invalid request", detail, BLANK, None, {"errors": errors})


async def _on_crash(request: Request, _error: Exception) -> Response:
    detail = "this is a bug; the server's log has the traceback"
    return _answer(request, 500, "Internal error", detail, BLANK, None, {})


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "request"


def _answer(
    request: Request,
    status: int,
    title: str,
    detail: str,
    kind: str,
    headers: Mapping[str, str] | None,
    ext: Mapping[str, object],
) -> Response:
    templates = getattr(request.app.state, "templates", None)
    vary = {"Vary": "Accept", **(headers or {})}
    if templates is None or request.url.path.startswith("/api/") or not prefers_html(request):
        return problem(status, title, detail, kind, headers=vary, **ext)
    shown = _document(status, title, detail, kind, ext)
    response: Response = templates.TemplateResponse(
        request,
        "problem.html",
        {"problem": shown, "version": __version__},
        status_code=status,
        headers={"Cache-Control": "no-store", **vary},
    )
    return response
