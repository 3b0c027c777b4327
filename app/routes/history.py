"""GET /api/history: what a pool looked like over time."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.routes.deps import HubDep, any_host, known_pool
from app.routes.models import HistoryPage, HistoryRow

router = APIRouter(prefix="/api", tags=["history"])


@router.get("/history", operation_id="getHistory")
async def get_history(
    hub: HubDep,
    pool: Annotated[str, Query(description="name of a pool, for example kv_pages")],
    host: str | None = None,
    points: Annotated[int, Query(ge=1, le=5000)] = 600,
) -> HistoryPage:
    """At most `points` rows over all that is kept, oldest first."""
    state = known_pool(hub, any_host(hub, host).name, pool)
    rows = [HistoryRow(**row) for row in state.history.rows(pool, points)]
    return HistoryPage(
        host=state.name,
        pool=pool,
        unit=state.pools[pool]["unit"],
        reach_s=state.history.reach_s(),
        items=rows,
        total=len(rows),
    )
