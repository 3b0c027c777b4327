"""Wire models of what the lab shows."""

from pydantic import BaseModel, ConfigDict, Field

from app.catalog.entry import Status
from app.catalog.lab import When

CODE = "alloc-req-slots-exhausted"
CAUSE = Field(
    default=None,
    max_length=100,
    description="a cause of the entry; the first if left out",
    examples=["rows-held-by-sessions"],
)


class ReproduceIn(BaseModel):
    """Which cause to run."""

    model_config = ConfigDict(extra="forbid")

    cause: str | None = CAUSE


class TryIn(BaseModel):
    """Which remedy to try, and on which cause."""

    model_config = ConfigDict(extra="forbid")

    remedy: str = Field(
        max_length=100, description="`key` of the remedy", examples=["raise-max-running-requests"]
    )
    cause: str | None = CAUSE


class PoolEndOut(BaseModel):
    """A pool when the case was over."""

    name: str
    kind: str
    unit: str
    capacity: int
    available: int
    evictable: int
    protected: int
    held: int
    leaked: int
    cells: str = Field(description="one digit per cell: 0 available, 1 held, 2 protected, …")


class ObservationOut(BaseModel):
    """What a case came to; counted, not judged."""

    offered: int
    offered_tokens: int
    offered_key: str = Field(description="equal where the same requests were offered")
    finished: int
    rejected: int
    aborted: int
    short_tokens: int = Field(description="output tokens cut off by a limit at the door")
    most_allowed: int = Field(description="requests that may run at once")
    reserve_scale: float
    most_at_once: int
    codes: dict[str, int] = Field(description="events by code")
    fatal: list[str] = Field(description="codes that ended a request or the server")
    messages: dict[str, str]
    numbers: dict[str, dict[str, int | float | str]]
    sim_s: float
    pools: list[PoolEndOut]
    pools_when: When


class ReproduceOut(BaseModel):
    """A cause, run in the lab."""

    code: str = Field(examples=[CODE])
    cause: str
    reproduced: bool
    before: ObservationOut


class TryOut(BaseModel):
    """The same cause and the same offered requests, without and with the remedy."""

    code: str = Field(examples=[CODE])
    cause: str
    remedy: str
    status: Status
    why: str
    meaning: str = Field(description="what the status word stands for")
    values: int = Field(description="at how many values it was tried; the best is shown")
    before: ObservationOut
    after: ObservationOut
