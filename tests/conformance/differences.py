"""Every deliberate difference, as operations that show it; one row each of docs/differences.md."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pools.errors import (
    DoubleFree,
    ForeignIndex,
    IntegrityError,
    InvalidSize,
    MemoryCorrupted,
    MmGenerationExhausted,
    MmLeaseInactive,
    PoolError,
)
from tests.conformance import builders
from tests.conformance.pairs import feature, host, paged, radix, request, token
from tests.conformance.walk import Operation, Pair, Setup

LIMIT = feature.LIMIT
_TOKEN = {"pages": 8, "page_size": 1, "need_sort": False}
_PAGED = {"pages": 8, "page_size": 4, "need_sort": False}
_TREE = {"pages": 8, "page_size": 1, "need_sort": False, "policy": "lru"}


@dataclass(frozen=True, slots=True)
class Deliberate:
    """A call that ours answers otherwise than SGLang.

    Attributes:
        row: name of the row in docs/differences.md.
        pair: which sides.
        call: the operation that differs.
        refused: what ours raises instead; None where ours answers, but otherwise.
        before: operations that lead there, on which both agree.
        sizes: how the pools are built.
        both_modes: ours differs under upstream checks too.
    """

    row: str
    pair: Pair
    call: Operation
    refused: type[PoolError] | None
    before: tuple[Operation, ...] = ()
    sizes: dict[str, Any] | None = None
    both_modes: bool = False

    def setup(self, checks: str) -> Setup:
        """The pools' sizes, in one mode of ours."""
        return Setup(checks, self.sizes or {})


def _in(pair: Pair, sizes: dict[str, Any] | None = None) -> Callable[..., Deliberate]:
    def row(
        name: str,
        call: Operation,
        refused: type[PoolError] | None,
        *before: Operation,
        both_modes: bool = False,
    ) -> Deliberate:
        return Deliberate(name, pair, call, refused, before, sizes, both_modes)

    return row


_rows, _host = _in(request.PAIR), _in(host.PAIR, {"page_size": 4})
_tokens, _pages, _tree = _in(token.PAIR, _TOKEN), _in(paged.PAIR, _PAGED), _in(radix.PAIR, _TREE)
_stamped = _in(paged.PAIR, {**_PAGED, "memory_check": True})
_features = _in(feature.PAIR)
_build = _in(Pair(builders.Ours, builders.Upstream, paged.Chooser, lambda: ()))
_TAKE_ALL = ("alloc", (8,))

#: refused under strict checks, accepted under upstream checks as SGLang does
STRICT: tuple[Deliberate, ...] = (
    _rows("rows: negative number", ("alloc", (-2,)), InvalidSize),
    _rows("rows: double free", ("free", ([12],)), DoubleFree),
    _rows("rows: twice in one free", ("free", ([12, 12],)), DoubleFree, ("alloc", (1,))),
    _rows("rows: foreign row", ("free", ([99],)), ForeignIndex),
    _tokens("tokens: negative size", ("alloc", (-2,)), InvalidSize),
    _tokens("tokens: double free", ("free", ([3],)), DoubleFree),
    _tokens("tokens: twice in one free", ("free", ([3, 3],)), DoubleFree, _TAKE_ALL),
    _tokens("tokens: foreign id", ("free", ([0],)), ForeignIndex),
    _pages("pages: negative size", ("alloc", (-8,)), InvalidSize),
    _pages("pages: unaligned size", ("alloc", (6,)), InvalidSize),
    _pages("pages: double free", ("free", ([4, 5, 6, 7],)), DoubleFree),
    _pages("pages: twice in one free", ("free", ([4, 4],)), DoubleFree, _TAKE_ALL),
    _pages("pages: foreign id", ("free", ([400],)), ForeignIndex),
    _pages("pages: last page of another", ("alloc_extend", ([1], [3], [8])), ForeignIndex),
    _pages(
        "pages: last token out of step", ("alloc_decode", ([3], [4])), ForeignIndex, ("alloc", (4,))
    ),
    _pages("pages: segment off a page", ("free_segment", ([5, 6],)), ForeignIndex, _TAKE_ALL),
    _stamped(
        "pages: corrupted memory",
        ("free", ([4, 5, 6, 7],)),
        MemoryCorrupted,
        ("alloc", (4,)),
        ("write", ([4, 5, 6, 7],)),
        ("scribble", (5,)),
    ),
    _host("host: negative size", ("alloc", (-8,)), InvalidSize),
    _host("host: double free", ("free", ([0, 1, 2, 3],)), DoubleFree),
    _host("host: twice in one free", ("free", ([0, 0, 1, 1],)), DoubleFree, ("alloc", (4,))),
    _host("host: foreign slot", ("free", ([96, 97, 98, 99],)), ForeignIndex),
    _tree("tree: units that nobody holds", ("keep", ([1, 2], [5, 6])), ForeignIndex),
    _features(
        "features: exhaustion loses nothing",
        ("lease", (256,)),
        MmGenerationExhausted,
        ("wear", (LIMIT,)),
    ),
    _features(
        "features: worn slot is passed over", ("lease", (256,)), None, ("wear_slot", (0, LIMIT))
    ),
    _features(
        "features: pass without leases merges",
        ("recycle", ()),
        None,
        ("lease", (256,)),
        ("release", (0,)),
    ),
    _features(
        "features: publish of a lease that is over",
        ("publish", (0,)),
        MmLeaseInactive,
        ("lease", (256,)),
        ("release", (0,)),
    ),
    _features(
        "features: acknowledge of a lease that is over",
        ("acknowledge", (0, 1)),
        MmLeaseInactive,
        ("lease", (256,)),
        ("release", (0,)),
    ),
)

#: the same under both modes of checks
BOTH: tuple[Deliberate, ...] = (
    _build("build: no rows", ("rows", (0, 4)), InvalidSize, both_modes=True),
    _build("build: part of a page", ("pages", (30, 4)), InvalidSize, both_modes=True),
    _build("build: empty host pool", ("host", (0, 4)), InvalidSize, both_modes=True),
    _tokens("tokens: extend", ("alloc_extend", ([0], [2], [-1])), None, both_modes=True),
    _tokens("tokens: decode", ("alloc_decode", ([1], [-1])), None, both_modes=True),
    _pages(
        "pages: length below its prefix",
        ("alloc_extend", ([3], [1], [6])),
        InvalidSize,
        both_modes=True,
    ),
    _tree(
        "tree: unlocked below zero",
        ("unlock", (0,)),
        IntegrityError,
        ("insert", ([1, 2],)),
        ("lock", ([1, 2],)),
        ("lock_again", (0,)),
        ("unlock", (0,)),
        both_modes=True,
    ),
    _features("features: empty lease", ("lease", (0,)), InvalidSize, both_modes=True),
    _features(
        "features: cancel before publish",
        ("cancel", (0,)),
        None,
        ("lease", (256,)),
        both_modes=True,
    ),
    _features(
        "features: unknown consumer",
        ("acknowledge", (0, 7)),
        ForeignIndex,
        ("lease", (256,)),
        both_modes=True,
    ),
)
