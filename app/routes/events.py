"""GET /api/events: what was raised, newest first; or forward from a seq to fill a gap."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from app.routes.deps import HubDep, Limit, any_host
from app.routes.models import EventOut, EventPage

router = APIRouter(prefix="/api", tags=["events"])


@router.get("/events", operation_id="listEvents")
async def list_events(
    hub: HubDep,
    host: str | None = None,
    level: Annotated[Literal["info", "warning", "error", "critical"] | None, Query()] = None,
    code: str | None = None,
    after: Annotated[
        int | None, Query(ge=0, description="oldest first, from this event_seq")
    ] = None,
    limit: Limit = 100,
    cursor: Annotated[int | None, Query(ge=0, description="`next` of the page before")] = None,
) -> EventPage:
    """Events kept by the hub (the last 5,000 of a host)."""
    state = any_host(hub, host)
    chosen = [
        event
        for event in state.events
        if (level is None or event["level"] == level) and (code is None or event["code"] == code)
    ]
    if after is not None:
        start = cursor if cursor is not None else after
        rest = [event for event in chosen if event["event_seq"] > start]
    else:
        rest = [e for e in reversed(chosen) if cursor is None or e["event_seq"] < cursor]
    page = rest[:limit]
    more = len(rest) > limit
    return EventPage(
        items=[EventOut(**event) for event in page],
        total=len(chosen),
        next=page[-1]["event_seq"] if more else None,
    )
