"""What a rule answers, and what a rule is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.catalog.entry import Direction
from app.diagnose.fold import Event
from app.diagnose.log import Log

Confidence = Literal["certain", "likely", "unknown"]
CauseClass = Literal[
    "shortage",
    "page_rounding",
    "lost",
    "double_counted",
    "admission_bug",
    "rank_hang",
    "startup_fraction_low",
    "activation_memory",
    "other_process",
    "host_budget",
    "side_pool_short",
    "caller_misuse",
    "fragmentation",
    "worn_generation",
    "false_alarm",
    "recovered",
    "unknown",
]
CONFIDENCES: dict[Confidence, str] = {
    "certain": "follows from the log's own numbers or words, by arithmetic or by definition",
    "likely": "the usual cause of this picture; another one is possible",
    "unknown": "the log does not tell",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One thing to do, with this log's numbers."""

    text: str
    flag: str | None = None
    direction: Direction = "none"
    number: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What the log does not tell, and what would settle it."""

    what: str
    settles: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A rule's answer.

    Attributes:
        text: one or two sentences: what ran out or went wrong, and which way to turn what.
        number: the value that fits `flag`, by the formula in `how`; None where it needs more than
            the log has.
        how: the formula with its inputs, or the words that decide.
        lines: evidence beyond the event's own lines.
    """

    text: str
    cause_class: CauseClass
    confidence: Confidence
    how: str
    flag: str | None = None
    direction: Direction = "none"
    number: float | None = None
    advice: tuple[Advice, ...] = ()
    open: tuple[Open, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A log and the event to explain; None when there is no event."""

    log: Log
    event: Event | None

    @property
    def name(self) -> str:
        """Code or sign of the event; empty without one."""
        return self.event.name if self.event else ""

    def number(self, name: str) -> float | None:
        """A number of the event's message."""
        value = self.event.numbers.get(name) if self.event else None
        return value if isinstance(value, int | float) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A general statement about what lines mean. Constant `RULE` of a file in `rules/`.

    Attributes:
        name: shown beside what it says.
        states: the statement itself, in one sentence.
        order: rules are asked from the lowest; the first that answers gives the verdict.
        about: codes and signs it can explain; empty for any event, or for none.
    """

    name: str
    states: str
    order: int
    answer: Callable[[Case], Answer | None]
    about: tuple[str, ...] = ()


def count(value: float) -> str:
    """A number as text, with separators."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
