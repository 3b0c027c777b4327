"""What a scenario is; one file each lies in `app/engine/scenarios/`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from app.traces.request import TraceRequest

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
    """

    name: str
    title: str
    look: str
    requests: Callable[[int], Iterator[TraceRequest]]
    story: Callable[[], Story] | None = None

    def describe(self) -> dict[str, Any]:
        """For pages and REST."""
        return {key: getattr(self, key) for key in ("name", "title", "look")}
