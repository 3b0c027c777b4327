"""Wire models of the REST answers. Pools are `pools.snapshot.PoolSnapshot`, unchanged."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from pools.snapshot import PoolSnapshot

HostWord = Literal["starting", "live", "paused", "stale", "crashed", "disconnected"]


class HostOut(BaseModel):
    """A pool host as the hub sees it."""

    name: str = Field(examples=["local"])
    state: HostWord
    note: str = Field(description="why it is not live, in words")
    source: str | None
    device: str | None
    epoch: int = Field(description="start of the host, unix seconds")
    seq: int
    age_s: float = Field(description="seconds since its last sample")
    engine_age_s: float
    history_s: float = Field(description="how far back the history reaches, wall seconds")
    event_seq: int
    pools: list[str]


class HostPage(BaseModel):
    """Hosts known to this hub."""

    items: list[HostOut]
    total: int
    next: int | None = None


class PoolOut(BaseModel):
    """One pool of one host at one seq."""

    host: str
    epoch: int
    seq: int
    t: float = Field(description="unix seconds")
    sim_t: float = Field(description="simulated seconds")
    pool: PoolSnapshot


class PoolPage(BaseModel):
    """Pools of all hosts."""

    items: list[PoolOut]
    total: int
    next: int | None = None


class RangeOut(BaseModel):
    """A contiguous free range, `start` included, `end` not, in the pool's unit or its cells."""

    start: int
    end: int
    size: int


class RangePage(BaseModel):
    """Free ranges by address."""

    items: list[RangeOut]
    total: int
    next: int | None = None
    unit: str = Field(description="bytes for mm_feature, cells elsewhere")
    largest: int
    truncated: bool = Field(description="the host sends at most 65,536 ranges")


class SlotOut(BaseModel):
    """One cell: a row, a page, a token or a feature slot."""

    slot: int
    state: str
    generation: int | None = None
    owner: int | None = None


class SlotPage(BaseModel):
    """Cells in order of index."""

    items: list[SlotOut]
    total: int
    next: int | None = None


class LeaseOut(BaseModel):
    """A feature lease; byte addresses within the pool, `end` not included."""

    slot: int
    start: int
    end: int
    bytes: int
    generation: int
    acks_missing: int


class LeasePage(BaseModel):
    """Leases not yet recycled, by address."""

    items: list[LeaseOut]
    total: int
    next: int | None = None


class GenerationOut(BaseModel):
    """Reuse counters of a pool's slots: the hottest first."""

    limit: int | None
    max: int
    items: list[SlotOut]
    total: int
    next: int | None = None


class HistoryRow(BaseModel):
    """The last sample of a bin, in the pool's unit, and the least available within the bin."""

    seq: float
    t: float
    sim_t: float
    available: float
    evictable: float
    protected: float
    held: float
    leaked: float
    available_min: float


class HistoryPage(BaseModel):
    """History of one pool, oldest first."""

    host: str
    pool: str
    unit: str
    reach_s: float = Field(description="wall seconds between the first and the last row kept")
    items: list[HistoryRow]
    total: int
    next: int | None = None


class EventOut(BaseModel):
    """Something raised, or worth a mark. `href` leads to the catalog."""

    event_seq: int
    t: float
    sim_t: float
    host: str
    pool: str | None
    level: str
    event: str
    code: str | None
    message: str
    numbers: dict[str, Any]
    href: str | None
    incident: str | None = Field(default=None, description="id of the incident it belongs to")


class EventPage(BaseModel):
    """Events, newest first."""

    items: list[EventOut]
    total: int
    next: int | None = None


class PresetOut(BaseModel):
    """A scenario or a fault that can be started."""

    name: str
    title: str
    look: str = Field(description="what to look at, or what it does")
    destructive: bool = False


class PresetPage(BaseModel):
    """Scenarios or faults."""

    items: list[PresetOut]
    total: int
    next: int | None = None


class WorkloadOut(BaseModel):
    """What drives the pools, how time runs, and what can be chosen."""

    host: str
    paused: bool
    speed: float | str
    sim_t: float
    done: bool
    workload: dict[str, Any]
    engine: dict[str, Any]
    scenarios: list[PresetOut]
    faults: list[PresetOut]
    traces: list[str]
    read_only: bool


class CommandOut(BaseModel):
    """A command was carried out by the host."""

    host: str
    command: str
    result: dict[str, Any]


class RequestPage(BaseModel):
    """Requests in the engine, running first."""

    items: list[dict[str, Any]]
    total: int
    next: int | None = None
