"""Occurrences become events: what sixteen ranks print about one failure is one event."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.catalog.match import Number
from app.diagnose.balance import Balance
from app.diagnose.batch import Reading
from app.diagnose.stamp import Stamp

#: ranks print one event within this time of each other; a traceback repeats what was logged
SAME_EVENT_S = 10.0
#: the same without times
SAME_EVENT_LINES = 200
MAX_EVENTS_PER_NAME = 200
MAX_LINES = 20
RECENT = 64
#: occurrences of one name that are read; a storm that goes on is only counted
MAX_SIGHTINGS = 10_000


@dataclass(frozen=True, slots=True)
class Sighting:
    """One occurrence of something known.

    Attributes:
        name: a catalog code, or the name of a sign.
        code: the catalog code, or None for a sign.
        text: the line, masked.
        more: lines of the same message below it, masked.
        balances: parts of pools that the message lists.
        before: what the same rank's last batch line said.
    """

    name: str
    code: str | None
    numbers: dict[str, Number]
    line: int
    stamp: Stamp
    wording: int = 0
    text: str = ""
    more: tuple[str, ...] = ()
    balances: tuple[Balance, ...] = ()
    before: Reading | None = None


@dataclass(slots=True)
class Event:
    """One thing that happened, on however many ranks."""

    first: Sighting
    numbers: dict[str, Number]
    lines: list[int] = field(default_factory=list)
    ranks: list[str] = field(default_factory=list)
    balances: tuple[Balance, ...] = ()
    last_at: float | None = None
    last_line: int = 0
    times: int = 0

    @property
    def name(self) -> str:
        """Code or name of the sign."""
        return self.first.name

    @property
    def code(self) -> str | None:
        """Catalog code, None for a sign."""
        return self.first.code

    def take(self, seen: Sighting) -> None:
        """Count one more occurrence."""
        self.times += 1
        if len(self.lines) < MAX_LINES:
            self.lines.append(seen.line)
        if seen.stamp.rank and seen.stamp.rank not in self.ranks:
            self.ranks.append(seen.stamp.rank)
        self.numbers = {**seen.numbers, **self.numbers}
        self.balances = self.balances or seen.balances
        self.last_at = seen.stamp.at if seen.stamp.at is not None else self.last_at
        self.last_line = seen.line


@dataclass(slots=True)
class Events:
    """All events so far; a storm keeps its first `MAX_EVENTS_PER_NAME` and counts the rest."""

    items: list[Event] = field(default_factory=list)
    by_name: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    left_out: dict[str, int] = field(default_factory=dict)
    sightings: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def storms(self) -> set[str]:
        """Names that occurred so often that no more of them are read."""
        return {name for name, times in self.sightings.items() if times >= MAX_SIGHTINGS}

    def count(self, name: str, times: int) -> None:
        """Count occurrences that were not read."""
        if times:
            self.left_out[name] = self.left_out.get(name, 0) + times

    def add(self, seen: Sighting, describe: Callable[[Sighting], Sighting]) -> None:
        """Fold an occurrence into its event, or begin one.

        Args:
            describe: adds what is costly to read; asked for the first of an event only.
        """
        self.sightings[seen.name] += 1
        same = self.by_name[seen.name]
        for event in reversed(same[-RECENT:]):
            if _is_same(event, seen):
                if _figures(seen.numbers) and not _figures(event.numbers):
                    # What came first was the message's text in a traceback, without its figures.
                    event.first = replace(describe(seen), stamp=event.first.stamp)
                    event.numbers = {}
                event.take(seen)
                return
        if len(same) >= MAX_EVENTS_PER_NAME:
            self.count(seen.name, 1)
            return
        seen = describe(seen)
        event = Event(seen, dict(seen.numbers), balances=seen.balances)
        event.take(seen)
        same.append(event)
        self.items.append(event)


def _is_same(event: Event, seen: Sighting) -> bool:
    if not _is_near(event, seen):
        return False
    new, known = _figures(seen.numbers), _figures(event.numbers)
    if new <= known or known <= new:
        return True
    # Another rank of one group says the same with figures of its own, such as free memory.
    rank = seen.stamp.rank
    other = rank is not None and bool(event.ranks) and rank not in event.ranks
    return other and _replica(rank) == _replica(event.ranks[0])


def _figures(numbers: dict[str, Number]) -> set[tuple[str, Number]]:
    return {(name, value) for name, value in numbers.items() if not isinstance(value, str)}


def _is_near(event: Event, seen: Sighting) -> bool:
    if seen.stamp.at is not None and event.last_at is not None:
        return abs(seen.stamp.at - event.last_at) <= SAME_EVENT_S
    return abs(seen.line - event.last_line) <= SAME_EVENT_LINES


def _replica(rank: str | None) -> str:
    """The part of a rank that says whose pools it has."""
    return next((part for part in (rank or "").split() if part.startswith("DP")), "")
