"""What a scenario is; one file each lies in `app/engine/scenarios/`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from app.traces.request import TraceRequest
from app.wire.event import EngineEvent

if TYPE_CHECKING:
    from app.engine.driver import Driver


class Story(Protocol):
    """Comments and acts on a run, between two scheduler iterations."""

    def after_step(self, driver: "Driver") -> None:
        """Look at the driver; emit marks, inject faults."""
        ...


@dataclass(frozen=True, slots=True)
class Scenario:
    """A seeded synthetic workload without an end.

    Attributes:
        name: kebab-case, as REST takes it.
        title: a few words.
        look: two sentences on what to look at.
        requests: endless requests in order of arrival for a seed.
        story: makes what comments on it, or None.
        server: fields of `ServerArgs` that it needs, in place of a default; a flag that was given
            stands.
    """

    name: str
    title: str
    look: str
    requests: Callable[[int], Iterator[TraceRequest]]
    story: Callable[[], Story] | None = None
    server: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """For pages and REST."""
        return {key: getattr(self, key) for key in ("name", "title", "look")}


def mark(driver: "Driver", chapter: str, text: str) -> None:
    """Caption the run from here on."""
    driver.emit(
        EngineEvent(
            level="info",
            kind="mark",
            message=text,
            sim_t=driver.now_ns / 1e9,
            numbers={"chapter": chapter},
        )
    )
