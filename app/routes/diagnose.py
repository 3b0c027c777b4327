"""A log explained: as a page for people, as JSON for scripts. Nothing of it is stored."""

from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.catalog.catalog import CATALOG
from app.catalog.entry import SGLANG_VERSION
from app.diagnose.document import document
from app.diagnose.judge import Diagnosis
from app.diagnose.verdict import CONFIDENCES
from app.routes.deps import HubDep, SettingsDep
from app.routes.diagnose_models import DiagnosisOut, LogIn
from app.routes.errors import WORDS
from app.routes.log_body import MAX_LOG_BYTES, explain, log_of
from app.routes.pages import base
from app.routes.problem import PROBLEM_RESPONSE, ProblemError
from app.routes.usage_chart import usage_chart

router = APIRouter(tags=["diagnose"])

#: logs at a time: reading one takes the interpreter for seconds
_ONE_AT_A_TIME = anyio.CapacityLimiter(1)
_SCHEMA = {"schema": {"type": "string", "format": "binary"}}
_BODY = {
    "required": True,
    "content": {
        "text/plain": {"schema": {"type": "string"}},
        "application/gzip": _SCHEMA,
        "application/octet-stream": _SCHEMA,
        "application/json": {"schema": LogIn.model_json_schema()},
    },
}


@router.post(
    "/api/diagnose",
    operation_id="diagnoseLog",
    responses={413: PROBLEM_RESPONSE, 415: PROBLEM_RESPONSE, 422: PROBLEM_RESPONSE},
    openapi_extra={"requestBody": _BODY},
)
async def diagnose_log(request: Request) -> DiagnosisOut:
    """Which limit, why, which way to turn which flag; for a log of at most 32 MiB as sent."""
    found = await _explained(await log_of(request))
    return DiagnosisOut.model_validate(document(found))


@router.get("/diagnose", include_in_schema=False, response_class=HTMLResponse)
async def diagnose_page(request: Request, hub: HubDep, settings: SettingsDep) -> Response:
    """The form."""
    return _page(request, base(hub.hosts, settings))


@router.post("/diagnose", include_in_schema=False, response_class=HTMLResponse)
async def diagnosed_page(request: Request, hub: HubDep, settings: SettingsDep) -> Response:
    """The answer, above the form."""
    frame = base(hub.hosts, settings)
    try:
        found = await _explained(await log_of(request))
    except ProblemError as error:
        return _page(request, {**frame, "problem": error}, status=error.status)
    doc = document(found)
    # The log itself is not put back into the form: it is not masked.
    page = {**frame, "doc": doc, "chart": usage_chart(doc["usage"]), "entry": found.entry}
    return _page(request, page)


async def _explained(body: bytes) -> Diagnosis:
    return await anyio.to_thread.run_sync(partial(explain, body), limiter=_ONE_AT_A_TIME)


def _page(request: Request, page: dict[str, Any], status: int = 200) -> Response:
    response: Response = request.app.state.templates.TemplateResponse(
        request,
        "diagnose.html",
        {
            "page": page,
            "words": WORDS,
            "surety": CONFIDENCES,
            "codes": CATALOG.by_code,
            "version_read": SGLANG_VERSION,
            "limit_mib": MAX_LOG_BYTES >> 20,
        },
        status_code=status,
        headers={"Cache-Control": "no-store"},
    )
    return response
