"""What a verdict is, what its rules look at, and how it is kept from flickering."""

from dataclasses import dataclass, field
from typing import Any

from app.wire.frame import Header

#: a new verdict must hold this long before it replaces the last, unless it is worse
HOLD_S = 2.0
#: the word for a source; simulated numbers are never dressed as production's
LEADS = {
    "synthetic": "In this simulation",
    "replay": "In this replay",
    "reconstructed": "In this reconstruction",
    "attached": "",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the page says first. `how` lists the formula and its inputs."""

    text: str
    cause_class: str | None
    severity: str = "calm"
    code: str | None = None
    pool: str | None = None
    flag: str | None = None
    direction: str = "none"
    number: int | None = None
    confidence: str = "certain"
    detail: str = ""
    how: tuple[str, ...] = ()
    proof: tuple[dict[str, Any], ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class View:
    """The scalars, with the lookups that rules share."""

    pools: dict[str, Header]
    engine: Header
    lead: str

    @property
    def kv(self) -> Header | None:
        """The KV pool, paged or not."""
        return self.pools.get("kv_pages") or self.pools.get("kv_tokens")

    def say(self, sentence: str) -> str:
        """The sentence behind the word for its source; simulated is never dressed as production."""
        return f"{self.lead} {sentence}" if self.lead else sentence[:1].upper() + sentence[1:]


def counted(number: int, one: str, many: str) -> str:
    """`1 request waits` or `2,000 requests wait`: a number and the words that agree with it."""
    return f"{number:,} {one if number == 1 else many}"


SEVERITY = {"calm": 0, "warning": 1, "binding": 2}


class Steady:
    """Keeps the sentence from flickering: a milder verdict must hold before it replaces one."""

    def __init__(self) -> None:
        self._shown: dict[str, Any] | None = None
        self._milder_since: float | None = None

    def settle(self, verdict: dict[str, Any], t: float) -> dict[str, Any]:
        """The verdict to show at wall time `t` (seconds), given this tick's."""
        shown = self._shown
        if shown is None or _topic(shown) == _topic(verdict):
            self._milder_since = None
        elif SEVERITY[verdict["severity"]] <= SEVERITY[shown["severity"]]:
            self._milder_since = t if self._milder_since is None else self._milder_since
            if 0 <= t - self._milder_since < HOLD_S:
                return shown
            self._milder_since = None
        self._shown = verdict
        return verdict


def _topic(verdict: dict[str, Any]) -> tuple[Any, ...]:
    return verdict["cause_class"], verdict["pool"], verdict["severity"]
