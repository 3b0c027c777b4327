"""What rules draw, for both ways to walk: by hypothesis, which shrinks, and by plain chance.

Each strategy carries `plain`, a function of a `random.Random`. So `tests.pools.random_walk` can
take one machine through a history of any length, at the cost of the calls alone.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hypothesis import stateful
from hypothesis import strategies as st

Strategy: TypeAlias = st.SearchStrategy[Any]


class Data:
    """What `data` is in a plain walk."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def draw(self, strategy: Strategy) -> Any:
        return plain(strategy, self._chance)


Drawing: TypeAlias = st.DataObject | Data


def plain(strategy: Strategy, chance: random.Random) -> Any:
    """A value by chance alone."""
    return strategy.plain(chance)  # type: ignore[attr-defined]


def integers(least: int, most: int) -> Strategy:
    return _both(st.integers(least, most), lambda chance: chance.randint(least, most))


def booleans() -> Strategy:
    return _both(st.booleans(), lambda chance: chance.random() < 0.5)


def sampled_from(values: Sequence[Any]) -> Strategy:
    return _both(st.sampled_from(values), lambda chance: chance.choice(values))


def data() -> Strategy:
    return _both(st.data(), Data)


def lists(of: Strategy, least: int, most: int) -> Strategy:
    """`least` to `most` values, with repeats."""

    def several(chance: random.Random) -> list[Any]:
        return [plain(of, chance) for _ in range(chance.randint(least, most))]

    return _both(st.lists(of, min_size=least, max_size=most), several)


def some_of(values: Sequence[Any], least: int = 0) -> Strategy:
    """Some of `values` in any order, each at most once."""

    def several(chance: random.Random) -> list[Any]:
        return chance.sample(values, chance.randint(least, len(values)))

    if not values:
        return _both(st.just([]), lambda chance: [])
    return _both(st.lists(st.sampled_from(values), min_size=least, unique=True), several)


def rule(*, rarely: bool = False, **arguments: Strategy) -> Callable[[Any], Any]:
    """A rule of both walks; `rarely` for what would keep a long history short."""

    def mark(function: Any) -> Any:
        marked: Any = stateful.rule(**arguments)(function)
        marked.plain_arguments, marked.rarely = arguments, rarely
        return marked

    return mark


def _both(strategy: Strategy, by_chance: Callable[[random.Random], Any]) -> Strategy:
    strategy.plain = by_chance  # type: ignore[attr-defined]
    return strategy
