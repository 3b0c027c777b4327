"""GET /api/pools and below: snapshots, ranges, slots, generations, leases."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from app.hub.state import CellState, HostState
from app.routes.deps import Cursor, HubDep, Limit, known_pool
from app.routes.etag import tagged
from app.routes.models import (
    GenerationOut,
    LeaseOut,
    LeasePage,
    PoolOut,
    PoolPage,
    RangeOut,
    RangePage,
    SlotOut,
    SlotPage,
)
from app.routes.problem import ProblemError
from pools.snapshot import AVAILABLE, STATES

router = APIRouter(prefix="/api/pools", tags=["pools"])


@router.get("", operation_id="listPools", response_model=PoolPage)
async def list_pools(request: Request, hub: HubDep) -> Response:
    """The newest snapshot of every pool of every watched host."""
    states = [state for state in hub.watched if state.scalars]
    tag = "-".join(f"{s.name}.{s.epoch}.{s.seq}" for s in states) or "empty"

    def make() -> dict[str, Any]:
        items = [_pool(state, name) for state in states for name in state.pools]
        return {"items": items, "total": len(items), "next": None}

    return tagged(request, tag, make)


@router.get("/{host}/{pool}", operation_id="getPool", response_model=PoolOut)
async def get_pool(host: str, pool: str, request: Request, hub: HubDep) -> Response:
    """One pool's newest snapshot; its ETag is the epoch and seq."""
    state = known_pool(hub, host, pool)
    return tagged(request, f"{state.epoch}-{state.seq}", lambda: _pool(state, pool))


@router.get("/{host}/{pool}/ranges", operation_id="listFreeRanges")
async def list_ranges(
    host: str, pool: str, hub: HubDep, limit: Limit = 200, cursor: Cursor = 0
) -> RangePage:
    """Free ranges by address: bytes for the feature pool, cells elsewhere."""
    cells = _cells(known_pool(hub, host, pool), pool)
    edges, unit = cells.leases.get("free_edges"), "bytes"
    if edges is None:
        free = np.concatenate(([0], cells.arrays["state"] == AVAILABLE, [0])).astype(np.int8)
        edges, unit = np.flatnonzero(np.diff(free)), "cells"
    pairs = edges.reshape(-1, 2).astype(np.int64)
    page = pairs[cursor : cursor + limit].tolist()
    sizes = pairs[:, 1] - pairs[:, 0]
    return RangePage(
        items=[RangeOut(start=start, end=end, size=end - start) for start, end in page],
        total=len(pairs),
        next=_next(cursor, limit, len(pairs)),
        unit=unit,
        largest=int(sizes.max(initial=0)),
        truncated=unit == "bytes" and len(pairs) >= 65_536,
    )


@router.get("/{host}/{pool}/slots", operation_id="listSlots")
async def list_slots(
    host: str,
    pool: str,
    hub: HubDep,
    start: Annotated[int, Query(ge=0)] = 0,
    stop: Annotated[int | None, Query(ge=0)] = None,
    limit: Limit = 200,
) -> SlotPage:
    """Cells `start` to `stop` (not included), at most `limit` of them a page."""
    cells = _cells(known_pool(hub, host, pool), pool)
    end = cells.cells if stop is None else min(stop, cells.cells)
    if start > end:
        raise ProblemError(422, "Bad range", f"start {start} is behind stop {end}")
    last = min(start + limit, end)
    items = [_slot(cells, index) for index in range(start, last)]
    return SlotPage(items=items, total=end - start, next=last if last < end else None)


@router.get("/{host}/{pool}/generations", operation_id="listGenerations")
async def list_generations(host: str, pool: str, hub: HubDep, limit: Limit = 50) -> GenerationOut:
    """The slots that were reused most, hottest first."""
    state = known_pool(hub, host, pool)
    cells = _cells(state, pool)
    generation = cells.arrays.get("generation")
    if generation is None:
        raise ProblemError(404, "No generations", f"pool {pool!r} counts no reuse")
    hottest = np.argsort(-generation.astype(np.int64), kind="stable")[:limit]
    known = state.pools[pool]["generations"]
    return GenerationOut(
        limit=known["limit"] if known else None,
        max=int(generation.max(initial=0)),
        items=[_slot(cells, int(index)) for index in hottest],
        total=cells.cells,
    )


@router.get("/{host}/{pool}/leases", operation_id="listLeases")
async def list_leases(
    host: str, pool: str, hub: HubDep, limit: Limit = 200, cursor: Cursor = 0
) -> LeasePage:
    """Leases by address, with the acknowledgements still missing."""
    cells = _cells(known_pool(hub, host, pool), pool)
    rows = cells.leases.get("leases")
    if rows is None:
        raise ProblemError(404, "No leases", f"pool {pool!r} hands out no leases")
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    items = [
        LeaseOut(
            slot=slot, start=start, end=end, bytes=end - start, generation=gen, acks_missing=acks
        )
        for slot, start, end, gen, acks in rows[cursor : cursor + limit].tolist()
    ]
    return LeasePage(items=items, total=len(rows), next=_next(cursor, limit, len(rows)))


def _pool(state: HostState, name: str) -> dict[str, Any]:
    scalars = state.scalars or {}
    place = {"host": state.name, "epoch": state.epoch, "seq": state.seq}
    return {**place, "t": scalars["t"], "sim_t": scalars["sim_t"], "pool": state.pools[name]}


def _cells(state: HostState, pool: str) -> CellState:
    cells = state.cells.get(pool)
    if cells is None:
        view = state.pools[pool]["view_of"]
        raise ProblemError(404, "No cells", f"pool {pool!r} is a view of {view!r}; look there")
    return cells


def _slot(cells: CellState, index: int) -> SlotOut:
    generation, owner = cells.arrays.get("generation"), cells.arrays.get("owner")
    return SlotOut(
        slot=index,
        state=STATES[int(cells.arrays["state"][index])],
        generation=None if generation is None else int(generation[index]),
        owner=None if owner is None or owner[index] < 0 else int(owner[index]),
    )


def _next(cursor: int, limit: int, total: int) -> int | None:
    return cursor + limit if cursor + limit < total else None
