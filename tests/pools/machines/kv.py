"""KV pools, paged and not, staged and not, against plain lists that also know the order of ids."""

from typing import ClassVar

import numpy as np

from pools.errors import DoubleFree, ForeignIndex, InvalidSize
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.structures.kv_buffers import KvBuffers
from tests.pools.machines.conserved import Amounts, Conserved
from tests.pools.machines.draws import (
    Drawing,
    data,
    integers,
    lists,
    rule,
    sampled_from,
    some_of,
)

UNITS = 16


class Kv(Conserved):
    """Requests that grow token by token; `PAGE` and `SORT` are set by the variants below."""

    PAGE: ClassVar[int] = 4
    SORT: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        size, page = UNITS * self.PAGE, self.PAGE
        buffers = KvBuffers(size + page)
        self.kv: KvPages | KvTokens = (
            KvTokens(size, buffers=buffers, need_sort=self.SORT)
            if page == 1
            else KvPages(size, page, buffers=buffers, need_sort=self.SORT)
        )
        self.pools = [self.kv]
        self.next = 1
        self.forget()

    def forget(self) -> None:
        #: token ids of each live request, in order
        self.tokens: dict[int, list[int]] = {}
        #: free units in the order of taking, and those given back that are not merged yet
        self.line, self.staged = list(range(1, UNITS + 1)), list[int]()
        self.leaked = 0

    def model(self) -> Amounts:
        held = {owner: len(self.units(tokens)) for owner, tokens in self.tokens.items()}
        assert {owner: self.kv.held_by(owner) for owner in held} == held
        parts = {"available": self.free_units(), "held": sum(held.values()), "leaked": self.leaked}
        return {self.kv.name: parts}

    def units(self, tokens: list[int]) -> set[int]:
        return {token // self.PAGE for token in tokens}

    def free_units(self) -> int:
        return len(self.line) + len(self.staged)

    def merge(self, enough: int) -> None:
        """What a call does that needs more than is listed."""
        if self.staged and enough > len(self.line):
            self.line, self.staged = sorted(self.line + self.staged), []

    def took(self, got: np.ndarray, old: set[int], count: int) -> None:
        """The new units are the next `count` of the line, in its order."""
        units = dict.fromkeys(token // self.PAGE for token in got.ravel().tolist())
        assert [unit for unit in units if unit not in old] == self.line[:count]
        del self.line[:count]

    def give_back(self, tokens: list[int]) -> None:
        units = sorted(self.units(tokens)) if self.PAGE > 1 else tokens
        if self.SORT:
            self.staged += units
        else:
            self.line = units + self.line if self.PAGE > 1 else self.line + units

    def take(self, owner: int, got: np.ndarray) -> None:
        """Ids are the request's alone, in range, and follow one another within a page."""
        others = {u for o, tokens in self.tokens.items() if o != owner for u in self.units(tokens)}
        mine = self.tokens.setdefault(owner, [])
        for token in got.tolist():
            assert self.PAGE <= token < (UNITS + 1) * self.PAGE
            assert token // self.PAGE not in others
            assert token % self.PAGE == len(mine) % self.PAGE
            if len(mine) % self.PAGE:
                assert token == mine[-1] + 1
            mine.append(token)
        assert len(set(mine)) == len(mine)

    @rule(lengths=lists(integers(1, 11), 1, 4))
    def extend(self, lengths: list[int]) -> None:
        owners = list(range(self.next, self.next + len(lengths)))
        self.next += len(lengths)
        zeros = np.zeros(len(lengths), np.int64)
        need = sum(-(-n // self.PAGE) for n in lengths)
        arguments = (zeros, np.array(lengths), zeros - 1, np.array(owners))
        self.merge(need if self.PAGE == 1 else sum(lengths) // self.PAGE + len(lengths) + 1)
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_extend(*arguments))
            return
        got = self.kv.alloc_extend(*arguments)
        assert got is not None
        self.took(got, set(), need)
        at = 0
        for owner, length in zip(owners, lengths, strict=True):
            self.take(owner, got[at : at + length])
            self.kv.stamp(got[at : at + length], owner, 1, 0)
            at += length

    @rule(drawing=data(), more=integers(1, 9))
    def extend_further(self, drawing: Drawing, more: int) -> None:
        """A chunk more of a prompt: the last page is filled up first."""
        if not self.tokens:
            return
        owner = drawing.draw(sampled_from(sorted(self.tokens)))
        mine = self.tokens[owner]
        length = len(mine) + more
        need = -(-length // self.PAGE) - len(self.units(mine))
        arguments = [np.array([n]) for n in (len(mine), length, mine[-1], owner)]
        self.merge(need if self.PAGE == 1 else more // self.PAGE + 2)
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_extend(*arguments))
            return
        got = self.kv.alloc_extend(*arguments)
        assert got is not None
        self.took(got, self.units(mine), need)
        self.take(owner, got)

    @rule(drawing=data())
    def decode(self, drawing: Drawing) -> None:
        if not self.tokens:
            return
        owners = drawing.draw(some_of(sorted(self.tokens), least=1))
        lengths = np.array([len(self.tokens[o]) + 1 for o in owners])
        last = np.array([self.tokens[o][-1] for o in owners])
        need = int(((lengths - 1) % self.PAGE == 0).sum())
        arguments = (lengths, last, np.array(owners))
        self.merge(len(owners))
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_decode(*arguments))
            return
        got = self.kv.alloc_decode(*arguments)
        assert got is not None
        self.took(got, {unit for o in owners for unit in self.units(self.tokens[o])}, need)
        for owner, token in zip(owners, got, strict=True):
            self.take(owner, np.array([token]))

    @rule(drawing=data(), steps=integers(1, 7))
    def decode_steps(self, drawing: Drawing, steps: int) -> None:
        if not self.tokens:
            return
        owners = drawing.draw(some_of(sorted(self.tokens), least=1))
        lengths = np.array([len(self.tokens[o]) for o in owners])
        last = np.array([self.tokens[o][-1] for o in owners])
        need = int((-(-(lengths + steps) // self.PAGE) - -(-lengths // self.PAGE)).sum())
        arguments = (lengths, last, np.array(owners), steps)
        self.merge(max(need, len(owners)))
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_decode_steps(*arguments))
            return
        got = self.kv.alloc_decode_steps(*arguments)
        assert got is not None
        self.took(got, {unit for o in owners for unit in self.units(self.tokens[o])}, need)
        assert got.shape == (steps, len(owners))
        for owner, column in zip(owners, got.T, strict=True):
            self.take(owner, column)

    @rule(drawing=data())
    def finish(self, drawing: Drawing) -> None:
        if self.tokens:
            owner = drawing.draw(sampled_from(sorted(self.tokens)))
            tokens = self.tokens.pop(owner)
            ids = np.array(tokens)
            self.kv.free(ids)
            self.give_back(tokens)
            self.unchanged(lambda: self.kv.free(ids), DoubleFree)

    @rule(drawing=data())
    def free_one_page_twice_in_one_call(self, drawing: Drawing) -> None:
        if self.tokens:
            ids = np.array(self.tokens[drawing.draw(sampled_from(sorted(self.tokens)))])
            self.unchanged(lambda: self.kv.free(np.concatenate((ids, ids))), DoubleFree)

    @rule(unit=sampled_from([-1, 0, UNITS + 1, 10_000]))
    def free_a_foreign_unit(self, unit: int) -> None:
        self.unchanged(lambda: self.kv.free(np.array([unit * self.PAGE])), ForeignIndex)

    @rule(size=integers(-9, 200))
    def alloc_units(self, size: int) -> None:
        owner, self.next = self.next, self.next + 1
        if size < 0 or size % self.PAGE:
            self.unchanged(lambda: self.kv.alloc(size, owner), InvalidSize)
            return
        self.merge(size // self.PAGE)
        if size // self.PAGE > self.free_units():
            self.unchanged(lambda: self.kv.alloc(size, owner))
            return
        got = self.kv.alloc(size, owner)
        assert got is not None
        self.took(got, set(), size // self.PAGE)
        if size:
            self.take(owner, got)

    @rule(shrink=integers(1, 5))
    def extend_to_less(self, shrink: int) -> None:
        arguments = [np.array([n]) for n in (8, 8 - shrink, self.PAGE, 1)]
        self.unchanged(lambda: self.kv.alloc_extend(*arguments), InvalidSize)

    @rule(odd=sampled_from([[1], [1, 2, 3], []]))
    def uneven_batches(self, odd: list[int]) -> None:
        pair, owners = np.array([8, 8]), np.array(odd)
        self.unchanged(lambda: self.kv.alloc_extend(pair - 8, pair, pair, owners), InvalidSize)
        self.unchanged(lambda: self.kv.alloc_decode(pair, pair, owners), InvalidSize)
        self.unchanged(lambda: self.kv.alloc_decode_steps(pair, pair, owners, 2), InvalidSize)

    @rule(drawing=data(), rarely=True)
    def a_request_vanishes(self, drawing: Drawing) -> None:
        if self.tokens:
            owner = drawing.draw(sampled_from(sorted(self.tokens)))
            units = len(self.units(self.tokens.pop(owner)))
            assert self.kv.disown(owner) == units
            self.leaked += units

    @rule(rarely=True)
    def clear(self) -> None:
        self.kv.clear()
        self.forget()


class KvSorted(Kv):
    """Staged frees, sorted in when a call runs short."""

    SORT: ClassVar[bool] = True


class KvByToken(Kv):
    """Page size 1."""

    PAGE: ClassVar[int] = 1


class KvByTokenSorted(Kv):
    """Page size 1, staged frees."""

    PAGE: ClassVar[int] = 1
    SORT: ClassVar[bool] = True
