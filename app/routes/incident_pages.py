"""Pages of incidents: the list, and one with its recording."""

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from app.incidents.incident import Incident
from app.incidents.keeper import Keeper
from app.routes.deps import HubDep, SettingsDep
from app.routes.incidents import Id, KeeperDep, fields_of, known, recorded_words, windows
from app.routes.pages import base, in_order, render

router = APIRouter(include_in_schema=False)

PER_PAGE = 50


@router.get("/incidents", response_class=HTMLResponse)
async def incident_list(
    request: Request,
    hub: HubDep,
    settings: SettingsDep,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> Response:
    """Incidents, newest first."""
    keeper: Keeper | None = request.app.state.keeper
    page = {**base(hub.hosts, settings), "window": recorded_words(), "off": keeper is None}
    page |= {"items": [], "total": 0, "next": None, "problem": keeper.problem if keeper else ""}
    if keeper is not None:
        found, total, following = await keeper.ask(keeper.store.page, PER_PAGE, cursor, None, None)
        page |= {"items": [_shown(one) for one in found], "total": total, "next": following}
    return render(request, "incidents.html", page)


@router.get("/incidents/{incident_id}", response_class=HTMLResponse)
async def incident_page(
    request: Request, hub: HubDep, settings: SettingsDep, keeper: KeeperDep, incident_id: Id
) -> Response:
    """One incident: the pools as they were, and the seconds around it."""
    incident = await known(keeper, incident_id)
    recorded = "before" in await windows(keeper, incident_id)
    scalars = incident.scalars or {}
    engine = scalars.get("engine", {})
    page = {
        **base(hub.hosts, settings),
        "incident": _shown(incident),
        "opened": _when(incident.opened_t),
        "recorded": recorded,
        "recording": _words(incident, recorded),
        "host": {"name": incident.host, "source": incident.source, "state": "recorded"},
        "scalars": scalars,
        "pools": in_order(scalars.get("pools", {})),
        "verdict": scalars.get("verdict"),
        "engine": engine,
        "workload": engine.get("workload"),
        "events": [],
    }
    return render(request, "incident.html", page)


def _shown(incident: Incident) -> dict[str, Any]:
    return {**fields_of(incident), "opened": _when(incident.opened_t)}


def _when(t: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(t))


def _words(incident: Incident, recorded: bool) -> str:
    if not recorded:
        return "Nothing was recorded around it; these are the numbers of the last sample before."
    tail = "" if incident.source == "attached" else " These pools were driven by a simulation."
    return f"Recorded: up to {recorded_words()}; the arrow keys step through it.{tail}"
