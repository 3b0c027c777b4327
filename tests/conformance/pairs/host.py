"""`HostLogical` beside `LogicalHostPool`."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import torch

from pools.kinds.host_logical import HostLogical
from tests.conformance.upstream import classes
from tests.conformance.walk import Operation, Pair, Setup

PAGES = 12


class Ours:
    def __init__(self, setup: Setup) -> None:
        page = setup.sizes["page_size"]
        self.pool = HostLogical(PAGES * page, page, checks=setup.checks)
        self.alloc, self.clear = self.pool.alloc, self.pool.clear

    def free(self, ids: list[int]) -> int:
        return self.pool.free(np.array(ids, np.int64))

    def look(self) -> Mapping[str, object]:
        return {"available": self.pool.available_size(), "free": self.pool.free_slots().tolist()}


class Upstream:
    def __init__(self, setup: Setup) -> None:
        page = setup.sizes["page_size"]
        self.pool = classes().LogicalHost(PAGES * page, page)
        self.alloc, self.clear = self.pool.alloc, self.pool.clear

    def free(self, ids: list[int]) -> int:
        return self.pool.free(torch.tensor(ids, dtype=torch.int64))

    def look(self) -> Mapping[str, object]:
        free = torch.cat([self.pool.free_slots, *self.pool.release_slots])
        return {"available": self.pool.available_size(), "free": free.tolist()}


class Chooser:
    def __init__(self, setup: Setup, random: Random) -> None:
        self.random, self.misuse = random, setup.misuse
        self.page = setup.sizes["page_size"]
        self.blocks: list[list[int]] = []

    def choose(self) -> Operation:
        dice = self.random.random()
        if self.misuse and dice < 0.08:
            return self._mistake()
        if dice < 0.09:
            return "clear", ()
        if dice < 0.11 and self.page > 1:
            # Alignment is tested in both modes of ours, with upstream's message.
            return self.random.choice((("alloc", (self.page + 1,)), ("free", ([0],))))
        if dice < 0.55 or not self.blocks:
            return "alloc", (self.page * self.random.choice((0, 1, 1, 2, 3, PAGES)),)
        return "free", (self.random.choice(self.blocks),)

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "clear":
            self.blocks.clear()
        elif name == "alloc" and value:
            self.blocks.append(value)
        elif name == "free" and arguments[0] in self.blocks:
            self.blocks.remove(arguments[0])

    def _mistake(self) -> Operation:
        page, size = self.page, PAGES * self.page
        start = self.random.randrange(0, size, page)
        return self.random.choice(
            (
                ("alloc", (-page * self.random.randint(1, PAGES + 2),)),
                ("free", (list(range(start, start + page)),)),
                ("free", ([start] * page,)),
                ("free", (list(range(size, size + page)),)),
                ("free", (list(range(-page, 0)),)),
            )
        )


def setups() -> Sequence[Setup]:
    return [
        Setup(checks, {"page_size": page}) for checks in ("upstream", "strict") for page in (1, 4)
    ]


PAIR = Pair(Ours, Upstream, Chooser, setups)
