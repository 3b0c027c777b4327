"""Liveness and readiness. `/livez` says only that this process answers."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from app import __version__
from app.routes.deps import HubDep

router = APIRouter(tags=["health"])


class Alive(BaseModel):
    """The web process answers."""

    status: Literal["ok"] = "ok"
    version: str = __version__


class Ready(BaseModel):
    """Whether pools are being watched, and each host's word."""

    ready: bool
    hosts: dict[str, str]


@router.get("/livez", operation_id="livez")
async def livez() -> Alive:
    """Open without a token."""
    return Alive()


@router.get("/readyz", operation_id="readyz", responses={503: {"model": Ready}})
async def readyz(hub: HubDep, response: Response) -> Ready:
    """200 when at least one watched host is live or paused, else 503 with the reason per host."""
    words = {state.name: state.state for state in hub.watched}
    notes = {state.name: state.note for state in hub.watched}
    ready = any(word in ("live", "paused") for word in words.values())
    if not ready:
        response.status_code = 503
    shown = {
        name: f"{word}: {notes[name]}" if notes[name] else word for name, word in words.items()
    }
    return Ready(ready=ready, hosts=shown)
