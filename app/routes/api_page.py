"""`/docs`: the REST interface as a page, from the same document as `/openapi.json`."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.routes.deps import HubDep, SettingsDep
from app.routes.pages import base, render

router = APIRouter(include_in_schema=False)


@router.get("/docs", response_class=HTMLResponse)
async def api_page(request: Request, hub: HubDep, settings: SettingsDep) -> Response:
    """Every operation with its parameters."""
    page = {**base(hub.hosts, settings), "operations": operations(request.app.openapi())}
    return render(request, "api.html", page)


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Method, path, words and parameters of each operation, by path."""
    return [
        {
            "method": method.upper(),
            "path": path,
            "words": one.get("description") or one.get("summary", ""),
            "parameters": one.get("parameters", []),
            "body": "requestBody" in one,
        }
        for path, methods in sorted(document["paths"].items())
        for method, one in methods.items()
    ]
