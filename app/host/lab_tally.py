"""Counts what a case comes to."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.catalog.lab import Observation, PoolEnd, ServerCase, When
from app.catalog.match import match
from app.engine.policies.sglang import max_new_tokens
from app.sizing.plan import PoolPlan
from pools.base import Pool
from pools.errors import Number, PoolError
from pools.snapshot import AVAILABLE, HELD, PoolSnapshot

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.wire.event import EngineEvent

#: a page draws this many cells of a pool, no more
MAX_CELLS = 4_096
#: and this many for the addresses of a pool of bytes
BYTE_CELLS = 480
FATAL = ("error", "critical")


class LabTally:
    """One case's events and ends."""

    def __init__(
        self,
        case: ServerCase,
        code: str,
        on_event: "Callable[[EngineEvent], None] | None" = None,
    ) -> None:
        self._case, self._code, self._on_event = case, code, on_event
        self.driver: Driver | None = None
        self._codes: Counter[str] = Counter()
        self._fatal: dict[str, None] = {}
        self._messages: dict[str, str] = {}
        self._numbers: dict[str, dict[str, Number]] = {}
        self._most_at_once = self._short_tokens = 0
        self._plan: PoolPlan | None = None
        self._shown: tuple[When, tuple[PoolEnd, ...]] = ("fullest", ())
        self._most_used = (0, 0)

    def started(self, plan: PoolPlan) -> None:
        """What the server logs at its start, and what its limits cut off at the door."""
        self._plan = plan
        for text in plan.warnings:
            self._recognise(text, fatal=False)
        for one in self._case.offered:
            allowed = max_new_tokens(one.output_tokens, one.input_tokens, plan)
            self._short_tokens += one.output_tokens - max(allowed, 0)

    def refused(self, text: str) -> None:
        """The server does not start with these flags."""
        self._recognise(text, fatal=True)

    def raised(self, error: PoolError) -> None:
        """A pool could not be built."""
        self._count(error.code, str(error), error.numbers, fatal=True)

    def note(self, event: "EngineEvent") -> None:
        """Something that the engine said."""
        if self.driver is not None and event.code == self._code and self._shown[0] != "failed":
            self._shown = ("failed", _ends_of(self.driver))
        if event.code:
            self._count(event.code, event.message, event.numbers, fatal=event.level in FATAL)
        if self._on_event is not None:
            self._on_event(event)

    def after_step(self, driver: "Driver") -> None:
        """How much runs at once, and how much of the feature pool is leased."""
        chunked = driver.scheduler.prefill.chunked is not None
        features = driver.set.features
        at_once = len(driver.scheduler.running) + chunked
        used = (at_once, features.book.held_bytes if features is not None else 0)
        self._most_at_once = max(self._most_at_once, at_once)
        if used > self._most_used:
            self._most_used = used
            if self._shown[0] == "fullest":
                self._shown = ("fullest", _ends_of(driver))

    def observation(self, driver: "Driver | None") -> Observation:
        """All of it; `driver` is None when the server did not start."""
        counts = driver.ledger.counts if driver is not None else Counter[str]()
        now_s = driver.now_ns / 1e9 if driver is not None else 0.0
        plan = self._plan
        when, pools = self._shown
        if driver is not None and when != "failed" and (self._fatal or not pools):
            when, pools = "ended", _ends_of(driver)
        return Observation(
            offered=len(self._case.offered),
            offered_tokens=sum(one.input_tokens + one.output_tokens for one in self._case.offered),
            offered_key=self._case.offered_key,
            finished=counts["finished_total"],
            rejected=counts["rejected_total"],
            aborted=counts["aborted_total"],
            short_tokens=self._short_tokens,
            most_allowed=plan.max_running_requests if plan is not None else 0,
            reserve_scale=plan.schedule_conservativeness if plan is not None else 1.0,
            most_at_once=self._most_at_once,
            codes=dict(self._codes),
            fatal=tuple(self._fatal),
            messages=self._messages,
            numbers=self._numbers,
            sim_s=now_s,
            pools=pools,
            pools_when=when,
        )

    def _recognise(self, text: str, *, fatal: bool) -> None:
        for found in match(text):
            self._count(found.entry.code, text, found.numbers, fatal=fatal)

    def _count(self, code: str, text: str, numbers: dict[str, Number], *, fatal: bool) -> None:
        self._codes[code] += 1
        self._messages.setdefault(code, text)
        self._numbers.setdefault(code, dict(numbers))
        if fatal:
            self._fatal[code] = None


def _ends_of(driver: "Driver") -> tuple[PoolEnd, ...]:
    return pool_ends(driver.pools.values(), driver.now_ns / 1e9)


def pool_ends(pools: Iterable[Pool], now_s: float) -> tuple[PoolEnd, ...]:
    """Each pool as it is now, with its cells where they are few enough to draw."""
    return tuple(_end(pool, pool.snapshot(now_s)) for pool in pools)


def _end(pool: Pool, seen: PoolSnapshot) -> PoolEnd:
    geometry = pool.geometry()
    cells = ""
    if geometry is not None and geometry.leases is not None:
        cells = _bytes_as_cells(geometry.leases, seen.capacity)
    elif geometry is not None and len(geometry.state) <= MAX_CELLS:
        cells = "".join(map(str, geometry.state.tolist()))
    return PoolEnd(
        seen.name, seen.kind, seen.unit, seen.capacity, seen.available, seen.evictable,
        seen.protected, seen.held, seen.leaked, cells,
    )  # fmt: skip


def _bytes_as_cells(leases: NDArray[np.int64], capacity: int) -> str:
    """The address space in equal parts; a part is held where a lease reaches into it."""
    held = np.full(BYTE_CELLS, AVAILABLE)
    for start, end in leases[:, 1:3].tolist():
        held[start * BYTE_CELLS // capacity : -(-end * BYTE_CELLS // capacity)] = HELD
    return "".join(map(str, held.tolist()))
