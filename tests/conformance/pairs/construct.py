"""What each side builds and what it refuses to, in the order of its checks."""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.conformance.builders import Ours, Upstream
from tests.conformance.walk import Operation, Pair, Setup


class Chooser:
    """Sizes around the limits of the feature and host pools; docs/differences.md has the rest."""

    def __init__(self, setup: Setup, random: Random) -> None:
        self.random = random

    def choose(self) -> Operation:
        pick = self.random.choice
        if self.random.random() < 0.3:
            return "host", (pick((1, 4, 6, 7, 8, 64)), pick((1, 2, 4, 16)))
        interval_s = pick((0.05, 0.05, 0.0, -1))
        sizes = (-1, 0, 1, 255, 256, 257, 768, 4096)
        return "features", (pick(sizes), pick((-1, 0, 1, 2)), pick((0, 1, 4, 30)), interval_s)

    def note(self, operation: Operation, value: Any) -> None:
        pass


def setups() -> Sequence[Setup]:
    return [Setup("upstream"), Setup("strict")]


PAIR = Pair(Ours, Upstream, Chooser, setups)
