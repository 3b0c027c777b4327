"""What an incident is: something that was raised, and the state in which it was raised."""

import secrets
import time
from dataclasses import asdict, dataclass, fields
from typing import Any

from app.wire.frame import Header

#: levels that make an event an incident
WORTHY = ("error", "critical")


@dataclass(frozen=True, slots=True)
class Incident:
    """One row. Times in wall seconds, `sim_t` in simulated ones; `count` folds a storm."""

    id: str
    host: str
    epoch: int
    source: str
    opened_t: float
    last_t: float
    sim_t: float
    level: str
    event: str
    code: str | None
    pool: str | None
    message: str
    numbers: dict[str, Any]
    count: int = 1
    scalars: Header | None = None
    imported: bool = False

    @property
    def topic(self) -> tuple[str, str | None, str | None, str]:
        """Events of one topic are one storm."""
        return self.host, self.code, self.pool, self.event

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def of(cls, event: Header, scalars: Header | None) -> "Incident":
        """A new incident of an event, with the scalars that were newest then."""
        return cls(
            id=new_id(float(event["t"])),
            host=event["host"],
            epoch=int(event["epoch"]),
            source=(scalars or {}).get("source", "unknown"),
            opened_t=float(event["t"]),
            last_t=float(event["t"]),
            sim_t=float(event["sim_t"]),
            level=event["level"],
            event=event["event"],
            code=event["code"],
            pool=event["pool"],
            message=event["message"],
            numbers=event["numbers"],
            scalars=scalars,
        )


COLUMNS = tuple(field.name for field in fields(Incident))


def new_id(t: float) -> str:
    """Readable and unique: the UTC second, and 32 random bits."""
    return time.strftime("%Y%m%d-%H%M%S-", time.gmtime(t)) + secrets.token_hex(4)
