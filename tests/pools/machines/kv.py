"""KV pools, paged and not, staged and not, against a dictionary of units."""

from typing import ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import rule

from pools.errors import DoubleFree, ForeignIndex, InvalidSize
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.structures.kv_buffers import KvBuffers
from tests.pools.machines.conserved import Conserved

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
        #: token ids of each live request, in order
        self.tokens: dict[int, list[int]] = {}
        self.next = 1

    def units(self, tokens: list[int]) -> set[int]:
        return {token // self.PAGE for token in tokens}

    def free_units(self) -> int:
        return UNITS - sum(len(self.units(tokens)) for tokens in self.tokens.values())

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

    @rule(lengths=st.lists(st.integers(1, 11), min_size=1, max_size=4))
    def extend(self, lengths: list[int]) -> None:
        owners = list(range(self.next, self.next + len(lengths)))
        self.next += len(lengths)
        zeros = np.zeros(len(lengths), np.int64)
        need = sum(-(-n // self.PAGE) for n in lengths)
        arguments = (zeros, np.array(lengths), zeros - 1, np.array(owners))
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_extend(*arguments))
            return
        got = self.kv.alloc_extend(*arguments)
        assert got is not None
        at = 0
        for owner, length in zip(owners, lengths, strict=True):
            self.take(owner, got[at : at + length])
            self.kv.stamp(got[at : at + length], owner, 1, 0)
            at += length

    @rule(data=st.data(), more=st.integers(1, 9))
    def extend_further(self, data: st.DataObject, more: int) -> None:
        """A chunk more of a prompt: the last page is filled up first."""
        if not self.tokens:
            return
        owner = data.draw(st.sampled_from(sorted(self.tokens)))
        mine = self.tokens[owner]
        length = len(mine) + more
        need = -(-length // self.PAGE) - len(self.units(mine))
        arguments = [np.array([n]) for n in (len(mine), length, mine[-1], owner)]
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_extend(*arguments))
            return
        got = self.kv.alloc_extend(*arguments)
        assert got is not None
        self.take(owner, got)

    @rule(data=st.data())
    def decode(self, data: st.DataObject) -> None:
        if not self.tokens:
            return
        owners = data.draw(st.lists(st.sampled_from(sorted(self.tokens)), min_size=1, unique=True))
        lengths = np.array([len(self.tokens[o]) + 1 for o in owners])
        last = np.array([self.tokens[o][-1] for o in owners])
        need = int(((lengths - 1) % self.PAGE == 0).sum())
        arguments = (lengths, last, np.array(owners))
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_decode(*arguments))
            return
        got = self.kv.alloc_decode(*arguments)
        assert got is not None
        for owner, token in zip(owners, got, strict=True):
            self.take(owner, np.array([token]))

    @rule(data=st.data(), steps=st.integers(1, 7))
    def decode_steps(self, data: st.DataObject, steps: int) -> None:
        if not self.tokens:
            return
        owners = data.draw(st.lists(st.sampled_from(sorted(self.tokens)), min_size=1, unique=True))
        lengths = np.array([len(self.tokens[o]) for o in owners])
        last = np.array([self.tokens[o][-1] for o in owners])
        need = int((-(-(lengths + steps) // self.PAGE) - -(-lengths // self.PAGE)).sum())
        arguments = (lengths, last, np.array(owners), steps)
        if need > self.free_units():
            self.unchanged(lambda: self.kv.alloc_decode_steps(*arguments))
            return
        got = self.kv.alloc_decode_steps(*arguments)
        assert got is not None
        assert got.shape == (steps, len(owners))
        for owner, column in zip(owners, got.T, strict=True):
            self.take(owner, column)

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        if self.tokens:
            owner = data.draw(st.sampled_from(sorted(self.tokens)))
            ids = np.array(self.tokens.pop(owner))
            self.kv.free(ids)
            self.unchanged(lambda: self.kv.free(ids), DoubleFree)

    @rule(data=st.data())
    def free_one_page_twice_in_one_call(self, data: st.DataObject) -> None:
        if self.tokens:
            ids = np.array(self.tokens[data.draw(st.sampled_from(sorted(self.tokens)))])
            self.unchanged(lambda: self.kv.free(np.concatenate((ids, ids))), DoubleFree)

    @rule(unit=st.sampled_from([-1, 0, UNITS + 1, 10_000]))
    def free_a_foreign_unit(self, unit: int) -> None:
        self.unchanged(lambda: self.kv.free(np.array([unit * self.PAGE])), ForeignIndex)

    @rule(size=st.integers(-9, 200))
    def alloc_units(self, size: int) -> None:
        owner, self.next = self.next, self.next + 1
        if size < 0 or size % self.PAGE:
            self.unchanged(lambda: self.kv.alloc(size, owner), InvalidSize)
        elif size // self.PAGE > self.free_units():
            self.unchanged(lambda: self.kv.alloc(size, owner))
        else:
            got = self.kv.alloc(size, owner)
            assert got is not None
            if size:
                self.take(owner, got)

    @rule(shrink=st.integers(1, 5))
    def extend_to_less(self, shrink: int) -> None:
        arguments = [np.array([n]) for n in (8, 8 - shrink, self.PAGE, 1)]
        self.unchanged(lambda: self.kv.alloc_extend(*arguments), InvalidSize)

    @rule()
    def clear(self) -> None:
        self.kv.clear()
        self.tokens.clear()

    def teardown(self) -> None:
        assert self.kv.available_size() == self.free_units() * self.PAGE
        for owner, tokens in self.tokens.items():
            assert self.kv.held_by(owner) == len(self.units(tokens))


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
