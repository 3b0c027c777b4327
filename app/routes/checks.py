"""Checks over REST, for cron and monitoring."""

import dataclasses
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from app.hub.checks import CHECKS, BadThreshold, evaluate
from app.nearest import did_you_mean
from app.routes.deps import HubDep, any_host
from app.routes.problem import ProblemError

router = APIRouter(prefix="/api/checks", tags=["checks"])

MAX_FOR_S = 3_600.0


class CheckOut(BaseModel):
    """One check on one host."""

    name: str = Field(examples=["kv-reclaimable"])
    host: str
    status: str = Field(description="ok, warning, critical or unknown")
    value: float | None
    unit: str
    of: float | None = Field(description="what a percentage is of")
    warn: float | None
    crit: float | None
    low: bool = Field(description="whether a low value is the bad one")
    for_s: float
    source: str | None
    text: str
    href: str | None


class CheckPage(BaseModel):
    """All checks with their default thresholds."""

    items: list[CheckOut]
    total: int
    next: None = None


Threshold = Annotated[str | None, Query(description="a number, or a share such as 10%")]


@router.get("", operation_id="listChecks")
async def list_checks(hub: HubDep, host: str | None = None) -> CheckPage:
    """Every check, now."""
    state = any_host(hub, host)
    found = [evaluate(check, state, None, None, 0.0) for check in CHECKS.values()]
    items = [CheckOut(**dataclasses.asdict(one)) for one in found]
    return CheckPage(items=items, total=len(items))


@router.get("/{name}", operation_id="getCheck")
async def get_check(
    hub: HubDep,
    name: str,
    host: str | None = None,
    warn: Threshold = None,
    crit: Threshold = None,
    for_s: Annotated[
        float, Query(ge=0, le=MAX_FOR_S, description="seconds for which it must have been bad")
    ] = 0.0,
) -> CheckOut:
    """One check against thresholds of one's own."""
    if name not in CHECKS:
        raise ProblemError(404, "Unknown check", f"no check {name!r}{did_you_mean(name, CHECKS)}")
    try:
        found = evaluate(CHECKS[name], any_host(hub, host), warn, crit, for_s)
    except BadThreshold as error:
        raise ProblemError(422, "Bad threshold", str(error)) from error
    return CheckOut(**dataclasses.asdict(found))
