"""`RequestSlots` beside `ReqToTokenPool`."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from pools.kinds.request_slots import RequestSlots
from tests.conformance.upstream import classes
from tests.conformance.walk import Operation, Pair, Setup

ROWS = 12


class Ours:
    def __init__(self, setup: Setup) -> None:
        self.pool = RequestSlots(ROWS, 4, checks=setup.checks)
        self.alloc, self.free, self.clear = self.pool.alloc, self.pool.free, self.pool.clear

    def look(self) -> Mapping[str, object]:
        return {
            "available": self.pool.available_size(),
            "free": self.pool.free_rows(),
            "generation": self.pool.generation.tolist(),
        }


class Upstream:
    def __init__(self, setup: Setup) -> None:
        self.pool = classes().ReqToToken(ROWS, 4, "cpu", False)
        self.alloc, self.free = self.pool.alloc_rows, self.pool.free_rows
        self.clear = self.pool.clear

    def look(self) -> Mapping[str, object]:
        return {
            "available": self.pool.available_size(),
            "free": list(self.pool.free_slots),
            "generation": self.pool.req_generation.tolist()[1:],
        }


class Chooser:
    def __init__(self, setup: Setup, random: Random) -> None:
        self.random, self.misuse = random, setup.misuse
        self.held: list[int] = []

    def choose(self) -> Operation:
        dice = self.random.random()
        if self.misuse and dice < 0.06:
            return self._mistake()
        if dice < 0.07:
            return "clear", ()
        if dice < 0.55 or not self.held:
            return "alloc", (self.random.choice((0, 1, 1, 1, 2, 3, 5, ROWS)),)
        count = self.random.randint(0, len(self.held))
        return "free", (self.random.sample(self.held, count),)

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "clear":
            self.held.clear()
        elif name == "alloc" and value is not None:
            self.held += value
        elif name == "free":
            for row in arguments[0]:
                if row in self.held:
                    self.held.remove(row)

    def _mistake(self) -> Operation:
        row = self.random.randint(1, ROWS)
        return self.random.choice(
            (
                ("alloc", (-self.random.randint(1, ROWS + 2),)),
                ("free", ([row],)),
                ("free", ([row, row],)),
                ("free", ([self.random.choice((-2, 0, ROWS + 1, ROWS + 9))],)),
            )
        )


def setups() -> Sequence[Setup]:
    return [Setup("upstream"), Setup("strict")]


PAIR = Pair(Ours, Upstream, Chooser, setups)
