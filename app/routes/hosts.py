"""GET /api/hosts: who sends frames to this hub."""

from fastapi import APIRouter

from app.hub.state import HostState
from app.routes.deps import HubDep, known_host
from app.routes.models import HostOut, HostPage

router = APIRouter(prefix="/api/hosts", tags=["hosts"])


@router.get("", operation_id="listHosts")
async def list_hosts(hub: HubDep) -> HostPage:
    """Every host this hub has heard of since it started."""
    items = [host_out(state) for state in hub.hosts.values()]
    return HostPage(items=items, total=len(items))


@router.get("/{host}", operation_id="getHost")
async def get_host(host: str, hub: HubDep) -> HostOut:
    """One host, with why it is not live when it is not."""
    return host_out(known_host(hub, host))


def host_out(state: HostState) -> HostOut:
    """A host's public description."""
    hello = state.hello or {}
    return HostOut.model_validate(
        {
            "name": state.name,
            "state": state.state,
            "note": state.note,
            "source": hello.get("source"),
            "device": hello.get("device"),
            "epoch": state.epoch,
            "seq": state.seq,
            "age_s": round(state.age_s, 3),
            "engine_age_s": state.engine_age_s,
            "history_s": round(state.history.reach_s(), 1),
            "event_seq": state.event_seq,
            "pools": list(state.pools),
        }
    )
