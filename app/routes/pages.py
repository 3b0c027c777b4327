"""Server-rendered pages: the numbers are in the first response, modules attach after."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app import __version__
from app.hub.state import HostState
from app.routes.deps import HubDep, SettingsDep, known_host, known_pool
from app.routes.hosts import host_out
from app.routes.workload import presets, trace_names
from app.settings import Settings

router = APIRouter(include_in_schema=False)

ORDER = ("request_slots", "kv_pages", "kv_tokens", "radix", "host_logical", "mm_feature")
FIRST_EVENTS = 20


@router.get("/", response_class=HTMLResponse)
async def live(
    request: Request, hub: HubDep, settings: SettingsDep, host: str | None = None
) -> Response:
    """The Live page of one host."""
    state = known_host(hub, host) if host else hub.default_host()
    page = {**base(hub.hosts, settings), **_host_page(state, settings)}
    return render(request, "live.html", page)


@router.get("/pools", response_class=HTMLResponse)
async def pools(request: Request, hub: HubDep, settings: SettingsDep) -> Response:
    """All pools of all hosts, and how each number came about."""
    hosts = [
        {
            **host_out(state).model_dump(),
            **sizing(state),
            "pools": ordered(state),
            "verdict": (state.scalars or {}).get("verdict"),
        }
        for state in hub.watched
    ]
    return render(request, "pools.html", {**base(hub.hosts, settings), "hosts_full": hosts})


@router.get("/pools/{host}/{pool}", response_class=HTMLResponse)
async def pool_detail(
    request: Request, host: str, pool: str, hub: HubDep, settings: SettingsDep
) -> Response:
    """One pool, every number of it."""
    state = known_pool(hub, host, pool)
    page = {**base(hub.hosts, settings), **_host_page(state, settings)}
    page |= {"pool": state.pools[pool], "described": (state.hello or {})["pools"].get(pool)}
    return render(request, "pool.html", page)


def ordered(state: HostState) -> list[dict[str, Any]]:
    """A host's snapshots in the page's order."""
    return in_order(state.pools)


def in_order(pools: dict[str, Any]) -> list[dict[str, Any]]:
    """Snapshots in the page's order; kinds it does not know go last."""
    names = sorted(pools, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    return [pools[name] for name in names]


def sizing(state: HostState) -> dict[str, list[dict[str, Any]]]:
    """Rows of the sizing ledger (asked, effective, rule) and all bounds on running requests."""
    hello = state.hello or {}
    return {"server": hello.get("server", []), "bounds": hello.get("bounds", [])}


def base(hosts: dict[str, HostState], settings: Settings) -> dict[str, Any]:
    """What every page's frame shows."""
    return {
        "version": __version__,
        "read_only": settings.read_only,
        "hosts": [host_out(state).model_dump() for state in hosts.values()],
    }


def _host_page(state: HostState | None, settings: Settings) -> dict[str, Any]:
    page: dict[str, Any] = {"traces": trace_names(settings), "events": [], "pools": []}
    page |= dict.fromkeys(("host", "engine", "verdict", "workload", "scalars", "hello"))
    page |= {"scenarios": [], "faults": [], "pool_hrefs": {}}
    if state is None:
        return page
    page["host"] = host_out(state).model_dump()
    page["hello"] = state.hello
    page["events"] = list(reversed(state.events[-FIRST_EVENTS:]))
    page["scenarios"] = [one.model_dump() for one in presets(state, "scenarios")]
    page["faults"] = [one.model_dump() for one in presets(state, "faults")]
    if state.scalars is not None:
        page["scalars"] = state.scalars
        page["pools"] = ordered(state)
        page["engine"] = state.scalars["engine"]
        page["verdict"] = state.scalars["verdict"]
        page["workload"] = state.scalars["engine"].get("workload")
        page["pool_hrefs"] = {name: f"/pools/{state.name}/{name}" for name in state.pools}
    return page


def render(request: Request, template: str, page: dict[str, Any]) -> Response:
    """A page, never cached."""
    response: Response = request.app.state.templates.TemplateResponse(
        request, template, {"page": page}, headers={"Cache-Control": "no-store"}
    )
    return response
