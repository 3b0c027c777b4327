"""One measured figure and the line it prints."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit and, where the project has set itself one, its target.

    Args:
        name: what was measured, unique within a run.
        value: the number.
        unit: "x" for a ratio of two things measured in the same run, else a unit of its own.
        target: least (or most) acceptable value; None when the figure only informs.
        bound: which side of the target is good.
        note: what it was measured on, or the two numbers behind a ratio.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    bound: Literal["at least", "at most"] = "at least"
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether the target is missed; a number that is no number misses it too."""
        if self.target is None:
            return False
        if math.isnan(self.value):
            return True
        low = self.bound == "at least"
        return self.value < self.target if low else self.value > self.target

    def line(self) -> str:
        """The figure as one line of a report."""
        verdict = "" if self.target is None else f"{self.bound} {self.target:g} {self.unit}"
        mark = "MISSED" if self.missed else "" if self.target is None else "ok"
        return (
            f"{self.name:<44} {self.value:>10.4g} {self.unit:<6} {verdict:<18} {mark:<7}{self.note}"
        )


def geometric_mean(values: list[float]) -> float:
    """The mean of ratios; NaN of none."""
    if not values:
        return math.nan
    return math.exp(sum(map(math.log, values)) / len(values))


def short_time(seconds: float) -> str:
    """Seconds in the unit that keeps one to three digits before the point."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
