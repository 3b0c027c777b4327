"""What a scheduling policy is; the driver runs any of them over the same pools."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from app.engine.ledger import EngineLedger
from app.engine.live_request import LiveRequest
from app.engine.policies.rules import Rules
from app.engine.pool_set import PoolSet
from app.engine.quiet import Durations
from app.engine.running_batch import RunningBatch
from app.engine.step_time import StepTime
from app.sizing.plan import PoolPlan
from app.wire.event import EngineEvent

Emit = Callable[[EngineEvent], None]
Batch = Literal["prefill", "decode", "idle"]
Deque = deque[LiveRequest]


class Admission(Protocol):
    """The queue in front of the batch."""

    waiting: Deque
    chunked: LiveRequest | None
    blocked_by: str | None


class Reserve(Protocol):
    """The share of the output still to come that admission keeps free."""

    @property
    def current(self) -> float:
        """In [0, 1]."""
        ...


class Scheduling(Protocol):
    """Queue, running batch and the rules between them."""

    running: RunningBatch
    row_bound_since_ns: int | None

    @property
    def prefill(self) -> Admission:
        """The queue."""
        ...

    @property
    def ratio(self) -> Reserve:
        """What admission reserves."""
        ...

    def enqueue(self, live: LiveRequest) -> None:
        """A request joins the queue's end."""
        ...

    def iterate(self, now_ns: int, horizon_ns: int) -> tuple[Batch, Durations]:
        """Run one batch, or decode steps that nothing can interrupt; how long each takes, ns."""
        ...

    def need_next_pages(self) -> int:
        """Pages that the next decode step needs."""
        ...


@dataclass(frozen=True, slots=True)
class Policy:
    """A server's scheduling.

    Attributes:
        name: of the server whose rules these are.
        scheduler: builds it over a plan and its pools.
        max_new_tokens: of (asked, input tokens, plan): output tokens a request may have; below 1
            it is refused.
    """

    name: str
    scheduler: Callable[[PoolPlan, PoolSet, EngineLedger, Emit, StepTime, Rules], Scheduling]
    max_new_tokens: Callable[[int, int, PoolPlan], int]
