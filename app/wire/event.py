"""Something worth telling: an error raised, a retraction, a mark in a story."""

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["info", "warning", "error", "critical"]
Kind = Literal["error", "mark", "retract", "abort", "reject", "alarm"]


@dataclass(frozen=True, slots=True)
class EngineEvent:
    """As the engine emits it; host, epoch and event_seq are added on the way.

    `sim_t` is in simulated seconds; `code` is the catalog's, when there is an entry.
    """

    level: Level
    kind: Kind
    message: str
    sim_t: float
    pool: str | None = None
    code: str | None = None
    numbers: dict[str, int | float | str] = field(default_factory=dict)
