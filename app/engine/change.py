"""The same requests under a changed load or on a slower or faster server, for robustness."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.step_time import StepTime
from app.engine.workload import Workload
from app.traces.request import TraceRequest


@dataclass(frozen=True, slots=True)
class Change:
    """What differs from the run as recorded.

    Attributes:
        load: arrivals come this many times as fast; the requests stay the same.
        step: every step takes this many times as long.
    """

    load: float = 1.0
    step: float = 1.0

    def __post_init__(self) -> None:
        if not (self.load > 0 and self.step > 0):
            raise ValueError(f"load {self.load} and step {self.step} must be above 0")

    def of(self, workload: Workload) -> Workload:
        """The workload under this load."""
        if self.load == 1.0:
            return workload
        return dataclasses.replace(workload, requests=lambda: self._sooner(workload.requests()))

    def step_time(self) -> StepTime:
        """The model of a step's duration."""
        model = StepTime()
        if self.step == 1.0:
            return model
        scaled = {
            name: round(value * self.step) for name, value in dataclasses.asdict(model).items()
        }
        return StepTime(**scaled)

    def _sooner(self, requests: Iterator[TraceRequest]) -> Iterator[TraceRequest]:
        for one in requests:
            yield dataclasses.replace(one, arrival_ns=round(one.arrival_ns / self.load))
