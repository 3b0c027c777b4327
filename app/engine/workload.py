"""What drives the engine: a trace or a scenario, as requests in order of arrival."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.engine.scenarios import scenario
from app.traces.options import ReadOptions
from app.traces.reader import read_trace
from app.traces.request import TraceRequest

#: Story(driver) may look and act between scheduler iterations
StoryFactory = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Workload:
    """A source of requests.

    Attributes:
        name: of the trace or scenario.
        source: "replay" or "synthetic", shown with every number.
        total: how many requests will come; None for an endless scenario.
        requests: a fresh iterator in order of arrival.
        info: what is known of a trace, as plain data.
        story: makes what comments and acts on the run, or None.
        server: fields of `ServerArgs` that it needs in place of a default.
    """

    name: str
    source: str
    total: int | None
    requests: Callable[[], Iterator[TraceRequest]]
    info: dict[str, Any] = field(default_factory=dict)
    story: StoryFactory | None = None
    server: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """For frames and REST."""
        return {"name": self.name, "source": self.source, "total": self.total, "info": self.info}


def trace_workload(
    path: str | Path, options: ReadOptions | None = None, *, limit: int | None = None
) -> Workload:
    """A trace file.

    Raises:
        TraceError: it cannot be replayed.
    """
    trace = read_trace(Path(path), options, limit=limit)
    info = dataclasses.asdict(trace.info)
    return Workload(
        name=trace.info.name,
        source="replay",
        total=trace.info.requests,
        requests=lambda: iter(trace.requests),
        info=info | {"has_prefix_info": trace.info.has_prefix_info},
    )


def scenario_workload(name: str, seed: int) -> Workload:
    """A seeded synthetic workload.

    Raises:
        ValueError: no scenario by that name.
    """
    preset = scenario(name)
    return Workload(
        name=preset.name,
        source="synthetic",
        total=None,
        requests=lambda: preset.requests(seed),
        info={"title": preset.title, "look": preset.look, "seed": seed},
        story=preset.story,
        server=preset.server,
    )
