"""`KvPages` beside `PagedTokenToKVPoolAllocator`: whole pages, prompts that grow, decodes."""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.conformance.kv_sides import Ours, Upstream
from tests.conformance.walk import Operation, Pair, Setup

PAGES = 14


class Chooser:
    """Requests that extend, decode and end; each is the list of its token ids."""

    def __init__(self, setup: Setup, random: Random) -> None:
        self.random, self.misuse = random, setup.misuse
        self.page = setup.sizes["page_size"]
        self.requests: list[list[int]] = []
        self.batch: list[list[int]] = []

    def choose(self) -> Operation:
        dice = self.random.random()
        if self.misuse and dice < 0.08:
            return self._mistake()
        if dice < 0.09:
            return "clear", ()
        if dice < 0.25:
            return "alloc", (self.page * self.random.choice((0, 1, 2, 3, PAGES)),)
        if dice < 0.50 or not self.requests:
            return self._extend()
        if dice < 0.72:
            self.batch = self.random.sample(
                self.requests, self.random.randint(1, len(self.requests))
            )
            lengths = [len(ids) + 1 for ids in self.batch]
            return "alloc_decode", (lengths, [ids[-1] for ids in self.batch])
        ids = self.random.choice(self.requests)
        return self.random.choice(("free", "free_segment")), (list(ids),)

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "clear":
            self.requests.clear()
        elif name == "alloc" and value:
            self.requests.append(value)
        elif name == "alloc_extend" and value is not None:
            at = 0
            for ids, prefix, seq in zip(self.batch, *arguments[:2], strict=True):
                ids += value[at : at + seq - prefix]
                at += seq - prefix
            self.requests += [ids for ids in self.batch if ids and ids not in self.requests]
        elif name == "alloc_decode" and value is not None:
            for ids, token in zip(self.batch, value, strict=True):
                ids.append(token)
        elif name.startswith("free") and arguments[0] in self.requests:
            self.requests.remove(arguments[0])

    def _extend(self) -> Operation:
        count = self.random.randint(0, len(self.requests))
        self.batch = self.random.sample(self.requests, min(count, 3))
        self.batch += [[] for _ in range(self.random.randint(0, 2))]
        prefix = [len(ids) for ids in self.batch]
        seq = [n + self.random.choice((0, 1, 2, self.page, 3 * self.page + 1)) for n in prefix]
        return "alloc_extend", (prefix, seq, [ids[-1] if ids else -1 for ids in self.batch])

    def _mistake(self) -> Operation:
        page, self.batch = self.page, [[]]
        start = page * self.random.randint(1, PAGES)
        return self.random.choice(
            (
                ("alloc", (self.random.choice((-1, -page, -3 * page, 1, page + 1)),)),
                ("free", (list(range(start, start + page)),)),
                ("free", ([start, start],)),
                ("free", ([start + page - 1, start],)),
                ("free", ([self.random.choice((-1, 0, page * (PAGES + 3)))],)),
                ("alloc_extend", ([1], [page + 2], [self.random.randint(0, 9 * page)])),
            )
        )


def setups() -> Sequence[Setup]:
    return [
        Setup(checks, {"pages": PAGES, "page_size": page, "need_sort": need_sort})
        for checks in ("upstream", "strict")
        for page in (4, 16)
        for need_sort in (False, True)
    ]


PAIR = Pair(Ours, Upstream, Chooser, setups)
