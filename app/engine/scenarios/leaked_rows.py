"""Rows whose request is gone without giving them back."""

from typing import TYPE_CHECKING

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

if TYPE_CHECKING:
    from app.engine.driver import Driver

PHASES = (Phase(60, rate=14.0, prompt=300, output=300, system_tokens=512, sessions=400),)
FIRST_S, EVERY_S, ROWS, TIMES = 4.0, 4.0, 40, 6


class Leak:
    """Takes forty rows every four seconds and forgets them, as an error path without a free."""

    def __init__(self) -> None:
        self._next_s, self._left, self._due = FIRST_S, TIMES, 0

    def after_step(self, driver: "Driver") -> None:
        """Leak what is due, as far as rows are free."""
        if self._left and driver.now_ns / 1e9 >= self._next_s:
            self._next_s += EVERY_S
            self._left -= 1
            self._due += ROWS
        slots = driver.set.slots
        rows = slots.alloc(min(self._due, slots.available_size())) or []
        for row in rows:
            slots.disown(row)
        self._due -= len(rows)


SCENARIO = Scenario(
    name="leaked-rows",
    title="Leaked rows",
    look="Every four seconds forty rows are taken by requests that vanish without a free. Watch "
    "leaked grow in steps until a dozen rows serve all traffic; lowering --max-running-requests "
    "brings none of them back.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=Leak,
    server={"checks": "upstream"},
)
