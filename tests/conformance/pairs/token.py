"""`KvTokens` beside `TokenToKVPoolAllocator`, frees in order and staged."""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.conformance.kv_sides import Ours, Upstream
from tests.conformance.walk import Operation, Pair, Setup

SIZE = 24


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
            return "alloc", (self.random.choice((0, 1, 1, 2, 5, 9, SIZE)),)
        chosen = self.random.sample(self.held, self.random.randint(0, len(self.held)))
        return self.random.choice(("free", "free_segment")), (chosen,)

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "clear":
            self.held.clear()
        elif name == "alloc" and value is not None:
            self.held += value
        elif name.startswith("free"):
            for token in arguments[0]:
                if token in self.held:
                    self.held.remove(token)

    def _mistake(self) -> Operation:
        token = self.random.randint(1, SIZE)
        return self.random.choice(
            (
                ("alloc", (-self.random.randint(1, SIZE + 3),)),
                ("free", ([token],)),
                ("free", ([token, token],)),
                ("free", ([self.random.choice((-3, 0, SIZE + 1, SIZE + 30))],)),
            )
        )


def setups() -> Sequence[Setup]:
    return [
        Setup(checks, {"pages": SIZE, "page_size": 1, "need_sort": need_sort})
        for checks in ("upstream", "strict")
        for need_sort in (False, True)
    ]


PAIR = Pair(Ours, Upstream, Chooser, setups)
