"""Incidents over REST: listed, fetched, played, handed on."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.requests import HTTPConnection

from app.incidents.exchange import SUFFIX, BadExport, export, read_export
from app.incidents.incident import Incident
from app.incidents.keeper import AFTER_S, BEFORE_S, Keeper
from app.incidents.store import DamagedIncident
from app.incidents.window import DamagedWindow, unpack
from app.routes.deps import Limit
from app.routes.problem import ProblemError

router = APIRouter(prefix="/api/incidents", tags=["incidents"])

MAX_IMPORT_BYTES = 64 << 20
FRAMES_TYPE = "application/vnd.poolscope.frames"


class IncidentOut(BaseModel):
    """Something that was raised; a storm of the same is one incident with a count."""

    id: str
    host: str
    epoch: int
    source: str
    opened_t: float = Field(description="first event, wall seconds")
    last_t: float = Field(description="last event, wall seconds")
    sim_t: float = Field(description="first event, simulated seconds")
    level: str
    event: str
    code: str | None
    pool: str | None
    message: str
    numbers: dict[str, Any]
    count: int
    imported: bool
    href: str


class IncidentFull(IncidentOut):
    """With the pools as they were, and what was recorded around it."""

    scalars: dict[str, Any] | None = Field(description="the newest sample before the event")
    before_bytes: int | None = Field(description="packed frames up to the event; null: none")
    after_bytes: int | None = Field(description="packed frames after it; null: not (yet) there")


class IncidentPage(BaseModel):
    """Incidents, newest first."""

    items: list[IncidentOut]
    total: int
    next: str | None = None
    problem: str = Field(description="why incidents are not being stored now; empty: they are")


def keeper_of(connection: HTTPConnection) -> Keeper:
    """The keeper of incidents.

    Raises:
        ProblemError: 503, this server keeps none.
    """
    keeper: Keeper | None = connection.app.state.keeper
    if keeper is None:
        raise ProblemError(503, "No incidents", "this server was started without a data folder")
    return keeper


KeeperDep = Annotated[Keeper, Depends(keeper_of)]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9-]{1,64}$", examples=["20261201-033512-1f0c9a3e"])]


@router.get("", operation_id="listIncidents")
async def list_incidents(
    keeper: KeeperDep,
    code: Annotated[str | None, Query(description="catalog code")] = None,
    host: str | None = None,
    limit: Limit = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> IncidentPage:
    """Incidents on disk, newest first."""
    found, total, following = await keeper.ask(keeper.store.page, limit, cursor, code, host)
    items = [IncidentOut(**fields_of(one)) for one in found]
    return IncidentPage(items=items, total=total, next=following, problem=keeper.problem)


@router.get("/{incident_id}", operation_id="getIncident")
async def get_incident(keeper: KeeperDep, incident_id: Id) -> IncidentFull:
    """One incident with the pools as they were."""
    incident = await known(keeper, incident_id)
    sizes = {part: len(blob) for part, blob in (await windows(keeper, incident_id)).items()}
    return IncidentFull(
        **fields_of(incident),
        scalars=incident.scalars,
        before_bytes=sizes.get("before"),
        after_bytes=sizes.get("after"),
    )


@router.get("/{incident_id}/frames", operation_id="getIncidentFrames", response_class=Response)
async def get_frames(keeper: KeeperDep, incident_id: Id) -> Response:
    """The recorded frames: `[u32 length | u8 kind][message]`, kind 0 text, 1 binary."""
    await known(keeper, incident_id)
    packed = await windows(keeper, incident_id)
    try:
        parts = [unpack(packed[part]) for part in ("before", "after") if part in packed]
    except DamagedWindow as error:
        raise ProblemError(
            410, "Recording damaged", f"{error}; the rest of {incident_id} is whole"
        ) from error
    if not parts:
        raise ProblemError(
            404, "No recording", f"nothing was recorded around incident {incident_id}"
        )
    return Response(b"".join(parts), media_type=FRAMES_TYPE)


@router.get("/{incident_id}/export", operation_id="exportIncident", response_class=Response)
async def get_export(keeper: KeeperDep, incident_id: Id) -> Response:
    """The incident as one file, for `import`."""
    incident = await known(keeper, incident_id)
    name = f'attachment; filename="{incident_id}{SUFFIX}"'
    body = export(incident, await windows(keeper, incident_id))
    headers = {"Content-Disposition": name}
    return Response(body, media_type="application/octet-stream", headers=headers)


@router.post("/import", operation_id="importIncident", status_code=201)
async def post_import(keeper: KeeperDep, request: Request) -> IncidentOut:
    """Keep an incident that was exported elsewhere; the body is the file."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_IMPORT_BYTES:
            limit = f"an exported incident is at most {MAX_IMPORT_BYTES >> 20} MiB"
            raise ProblemError(413, "File too large", limit)
    try:
        incident, parts = read_export(bytes(body))
    except BadExport as error:
        raise ProblemError(422, "Not an exported incident", str(error)) from error
    await keeper.ask(keeper.store.add_imported, incident, parts)
    return IncidentOut(**fields_of(incident))


def fields_of(incident: Incident) -> dict[str, Any]:
    """What a list shows of an incident."""
    values = incident.as_dict()
    values.pop("scalars")
    return {**values, "href": f"/incidents/{incident.id}"}


async def known(keeper: Keeper, incident_id: str) -> Incident:
    """An incident that is there and whole.

    Raises:
        ProblemError: 404 unknown or dropped, 410 damaged.
    """
    try:
        incident: Incident | None = await keeper.ask(keeper.store.get, incident_id)
    except DamagedIncident as error:
        raise ProblemError(410, "Record damaged", str(error)) from error
    if incident is None:
        detail = f"no incident {incident_id!r}; it may have been dropped: the list has what is kept"
        raise ProblemError(404, "Unknown incident", detail)
    return incident


async def windows(keeper: Keeper, incident_id: str) -> dict[str, bytes]:
    """Packed frames by part."""
    found: dict[str, bytes] = await keeper.ask(keeper.store.windows, incident_id)
    return found


def recorded_words() -> str:
    """How long a recording is, for the page."""
    return f"{BEFORE_S:.0f} s before and {AFTER_S:.0f} s after"
