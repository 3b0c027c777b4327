"""The comparison itself: that it sees a wrong order, a wrong error and a wrong size."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from tests.conformance.pairs import token
from tests.conformance.walk import Pair, Setup, walk

SIZES = {"pages": 24, "page_size": 1, "need_sort": False}


class LastInFirstOut(token.Ours):
    def free(self, ids: list[int]) -> None:
        super().free(ids[::-1])


class OtherError(token.Ours):
    def alloc(self, need_size: int) -> Any:
        if need_size == 9:
            raise ValueError("nine")
        return super().alloc(need_size)


class OtherMessage(OtherError):
    def alloc(self, need_size: int) -> Any:
        if need_size == 9:
            raise ValueError("not nine")
        return super().alloc(need_size)


class WrongSize(token.Ours):
    def look(self) -> Mapping[str, object]:
        return {**super().look(), "available": -1}


def first_difference(ours: type, upstream: type) -> str | None:
    pair = Pair(ours, upstream, token.Chooser, token.setups)
    for seed in range(20):
        _, difference = walk(pair, Setup("upstream", SIZES), seed, 60)
        if difference is not None:
            return str(difference)
    return None


def test_a_pool_is_like_itself() -> None:
    assert first_difference(token.Ours, token.Ours) is None


@pytest.mark.parametrize(
    ("ours", "upstream", "told"),
    [
        (LastInFirstOut, token.Ours, "listed"),
        (OtherError, token.Ours, "ValueError: nine"),
        (token.Ours, OtherError, "ValueError: nine"),
        (OtherMessage, OtherError, "ValueError: not nine"),
        (WrongSize, token.Ours, "available"),
    ],
)
def test_walk_tells_what_differs(ours: type, upstream: type, told: str) -> None:
    difference = first_difference(ours, upstream)
    assert difference is not None
    assert told in difference
    assert "alloc(" in difference, "the operations that led there are shown"


def test_a_walk_without_mistakes_makes_none_that_strict_checks_refuse() -> None:
    for setup in token.setups():
        if setup.checks == "strict":
            side, chooser = token.Ours(setup), token.Chooser(setup, Random(3))
            for _ in range(300):
                name, arguments = chooser.choose()
                answer = getattr(side, name)(*arguments)
                chooser.note((name, arguments), None if answer is None else answer.tolist())
