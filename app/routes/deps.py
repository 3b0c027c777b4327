"""What routes need of the running server, as dependencies."""

from typing import Annotated

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from app.hub.broadcast import Broadcast
from app.hub.hub import Hub
from app.hub.state import HostState
from app.nearest import did_you_mean
from app.routes.problem import ProblemError
from app.settings import Settings


def hub_of(connection: HTTPConnection) -> Hub:
    """The one hub of this server."""
    hub: Hub = connection.app.state.hub
    return hub


def broadcast_of(connection: HTTPConnection) -> Broadcast:
    """Shares encoded messages between viewers."""
    broadcast: Broadcast = connection.app.state.broadcast
    return broadcast


def settings_of(connection: HTTPConnection) -> Settings:
    """How this server was started."""
    settings: Settings = connection.app.state.settings
    return settings


HubDep = Annotated[Hub, Depends(hub_of)]
BroadcastDep = Annotated[Broadcast, Depends(broadcast_of)]
SettingsDep = Annotated[Settings, Depends(settings_of)]
Limit = Annotated[int, Query(ge=1, le=1000, description="rows at most")]
Cursor = Annotated[int, Query(ge=0, description="`next` of the page before")]


def known_host(hub: Hub, name: str) -> HostState:
    """A host by name.

    Raises:
        ProblemError: 404, with the nearest name.
    """
    if name not in hub.hosts:
        raise ProblemError(404, "Unknown host", f"no host {name!r}{did_you_mean(name, hub.hosts)}")
    return hub.hosts[name]


def known_pool(hub: Hub, host: str, pool: str) -> HostState:
    """The host of a pool that exists.

    Raises:
        ProblemError: 404 for an unknown host or pool, 503 before the first sample.
    """
    state = known_host(hub, host)
    if state.scalars is None:
        raise ProblemError(503, "No sample yet", f"host {host!r} is {state.state}; try again")
    if pool not in state.pools:
        raise ProblemError(
            404,
            "Unknown pool",
            f"host {host!r} has no pool {pool!r}{did_you_mean(pool, state.pools)}",
        )
    return state


def any_host(hub: Hub, name: str | None) -> HostState:
    """The named host, or the default one.

    Raises:
        ProblemError: 404 unknown, 503 when there is none at all.
    """
    if name is not None:
        return known_host(hub, name)
    state = hub.default_host()
    if state is None:
        raise ProblemError(503, "No host", "no pool host has connected yet")
    return state
