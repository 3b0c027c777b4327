"""What drives the pools: GET /api/workload, and the controls below it."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from app.hub.hub import CommandRefused, HostUnavailable, Hub
from app.hub.state import HostState
from app.nearest import did_you_mean
from app.routes.deps import HubDep, Limit, SettingsDep, any_host
from app.routes.models import CommandOut, PresetOut, PresetPage, RequestPage, WorkloadOut
from app.routes.problem import ProblemError
from app.settings import Settings

router = APIRouter(prefix="/api", tags=["workload"])

COMMANDS = ("pause", "resume", "step", "speed", "restart", "load", "scenario", "inject")
HostName = Annotated[str | None, Query(description="a host; the local one if left out")]
MAX_TRACES = 500
#: files that are offered; what is inside decides whether they can be replayed
TRACE_SUFFIXES = (".jsonl", ".csv", ".json", ".log", ".gz", ".zst")


@router.get("/workload", operation_id="getWorkload")
async def get_workload(hub: HubDep, settings: SettingsDep, host: HostName = None) -> WorkloadOut:
    """The workload, the engine's counters, and what can be chosen."""
    state = any_host(hub, host)
    if state.scalars is None:
        raise ProblemError(503, "No sample yet", f"host {state.name!r} is {state.state}; try again")
    scalars = state.scalars
    return WorkloadOut(
        host=state.name,
        paused=scalars["paused"],
        speed=scalars["speed"],
        sim_t=scalars["sim_t"],
        done=scalars["done"],
        workload=scalars["engine"]["workload"],
        engine=scalars["engine"],
        scenarios=presets(state, "scenarios"),
        faults=presets(state, "faults"),
        traces=trace_names(settings),
        read_only=settings.read_only,
    )


@router.get("/scenarios", operation_id="listScenarios")
async def list_scenarios(hub: HubDep, host: HostName = None) -> PresetPage:
    """Presets of the synthetic workload, with what to look at."""
    items = presets(any_host(hub, host), "scenarios")
    return PresetPage(items=items, total=len(items))


@router.get("/workload/requests", operation_id="listRequests")
async def list_requests(hub: HubDep, host: HostName = None, limit: Limit = 50) -> RequestPage:
    """Requests now in the engine: row, generation, tokens, pages, wait."""
    state = any_host(hub, host)
    result = await _ask(hub, state, "requests", {"limit": limit})
    return RequestPage(items=result["items"], total=len(result["items"]))


@router.post("/workload/{command}", operation_id="controlWorkload")
async def control_workload(
    command: str,
    hub: HubDep,
    host: HostName = None,
    body: Annotated[
        dict[str, Any] | None,
        Body(
            openapi_examples={
                "step": {"value": {"steps": 10}},
                "speed": {"value": {"x": "max"}},
                "scenario": {"value": {"scenario": "steady"}},
                "inject": {"value": {"fault": "over-admission"}},
            }
        ),
    ] = None,
) -> CommandOut:
    """Pause, resume, step {steps}, speed {x}, restart, load {trace}, scenario, inject {fault}."""
    if command not in COMMANDS:
        raise ProblemError(
            404, "Unknown command", f"no command {command!r}{did_you_mean(command, COMMANDS)}"
        )
    state = any_host(hub, host)
    result = await _ask(hub, state, command, body or {})
    return CommandOut(host=state.name, command=command, result=result)


def presets(state: HostState, which: str) -> list[PresetOut]:
    """Scenarios or faults as the host's hello lists them."""
    listed = (state.hello or {}).get("controls", {}).get(which, [])
    return [PresetOut(**one) for one in listed]


def trace_names(settings: Settings) -> list[str]:
    """Files of the trace folder by name relative to it, sorted."""
    folder: Path | None = settings.host.trace_dir
    if folder is None or not folder.is_dir():
        return []
    found = (path for path in folder.rglob("*") if path.suffix in TRACE_SUFFIXES)
    return sorted(str(path.relative_to(folder)) for path in found)[:MAX_TRACES]


async def _ask(hub: Hub, state: HostState, command: str, args: dict[str, Any]) -> dict[str, Any]:
    try:
        return await hub.command(state.name, command, args)
    except HostUnavailable as error:
        raise ProblemError(503, "Host not available", str(error)) from error
    except CommandRefused as error:
        raise ProblemError(422, error.problem.get("title", "Refused"), str(error)) from error
