"""Strong entity tags: a snapshot is named by its epoch and seq."""

from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse


def tagged(request: Request, tag: str, make: Callable[[], Any]) -> Response:
    """304 when the caller has this tag already, else the body with it."""
    quoted = f'"{tag}"'
    headers = {"ETag": quoted, "Cache-Control": "no-cache"}
    given = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
    if quoted in given or "*" in given:
        return Response(status_code=304, headers=headers)
    return JSONResponse(jsonable_encoder(make()), headers=headers)
