"""The web application: wires hub, guard, routes and the supervisor. Torch-free."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.templating import Jinja2Templates
from starlette.staticfiles import StaticFiles

from app import __version__, assets
from app.guard import Guard
from app.head import HeadAsGet
from app.hub.broadcast import Broadcast
from app.hub.hub import Hub
from app.incidents.keeper import Keeper
from app.lab_process import LabProcess
from app.routes import (
    api_page,
    asyncapi,
    checks,
    diagnose,
    errors,
    events,
    health,
    history,
    hosts,
    incident_pages,
    incidents,
    metrics,
    pages,
    plotly,
    pools,
    proofs,
    stream,
    workload,
)
from app.routes.problem import install_problem_handlers
from app.settings import Settings
from app.supervisor import Supervisor

#: pages come last: their paths are the shortest
ROUTERS = (
    *(health, hosts, pools, history, events, checks, incidents, workload, errors, diagnose),
    proofs,
    *(metrics, asyncapi, stream, plotly, api_page, incident_pages, pages),
)


def create_app(settings: Settings) -> FastAPI:
    """An application for these settings; its lifespan starts and ends the local pool host."""
    app = FastAPI(
        title="Poolscope",
        version=__version__,
        summary="Live memory pools of an LLM server",
        lifespan=_lifespan,
        openapi_url="/openapi.json",
        # FastAPI's own pages load scripts from elsewhere; `/docs` here needs nothing.
        docs_url=None,
        redoc_url=None,
    )
    hub = Hub()
    app.state.settings, app.state.hub = settings, hub
    app.state.broadcast = Broadcast(hub)
    app.state.keeper = _keeper(hub, settings)
    app.state.supervisor = Supervisor(hub, settings.host, settings.ingest_url, settings.host_token)
    app.state.lab = LabProcess(hub, settings.ingest_url, settings.host_token)
    app.state.templates = _templates()
    for module in ROUTERS:
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=assets.static_dir()), name="static")
    install_problem_handlers(app)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(HeadAsGet)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings, keeper = app.state.settings, app.state.keeper
    running = []
    if keeper is not None:
        running.append(asyncio.create_task(keeper.run(), name="incidents"))
    if settings.run_host:
        running.append(asyncio.create_task(app.state.supervisor.run(), name="supervisor"))
    try:
        yield
    finally:
        await app.state.lab.close()
        # The host first: its end is no incident, but what it raised before is.
        for task in reversed(running):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if keeper is not None:
            await keeper.close()


def _keeper(hub: Hub, settings: Settings) -> Keeper | None:
    if settings.data_dir is None:
        return None
    keeper = Keeper(hub, settings.data_dir / "incidents.sqlite")
    hub.keeper = keeper
    return keeper


def _templates() -> Jinja2Templates:
    templates = Jinja2Templates(directory=assets.templates_dir())
    version = assets.asset_version()
    templates.env.globals["asset"] = lambda path: f"/static/{path}?v={version}"
    return templates
