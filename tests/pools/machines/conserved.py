"""What every machine over pools checks after every step, whatever the step was."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis.stateful import RuleBasedStateMachine, invariant

from pools.errors import PoolError
from pools.snapshot import Counters, Geometry, PoolSnapshot

PARTS = ("available", "evictable", "protected", "held", "retired", "leaked")
Amounts = dict[str, dict[str, int]]


class Conserved(RuleBasedStateMachine):
    """Holds `pools`; its rules change them beside plain models of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.pools: list[Any] = []
        self._generations: dict[str, np.ndarray] = {}
        self.now_s = 0.0

    def model(self) -> Amounts:
        """By pool and part, what the model says of the snapshot; parts left out are 0."""
        raise NotImplementedError

    def unchanged(self, call: Callable[[], Any], *errors: type[PoolError]) -> None:
        """The call fails (None, or one of `errors`) and nothing that can be seen has changed."""
        before = self.look()
        if errors:
            try:
                call()
            except errors:
                pass
            else:
                raise AssertionError(f"none of {errors} was raised")
        else:
            assert call() is None
        self.same_as(before)

    def look(self) -> list[tuple[PoolSnapshot, Geometry | None]]:
        """All that can be seen, without the counters of failures."""
        return [(plain(pool.snapshot(self.now_s)), pool.geometry()) for pool in self.pools]

    def same_as(self, before: list[tuple[PoolSnapshot, Geometry | None]]) -> None:
        """Nothing differs from what was seen `before`."""
        for (snapshot, geometry), (then, cells) in zip(before, self.look(), strict=True):
            assert snapshot == then, f"{then.name}: a failing call changed the snapshot"
            assert_same_cells(then.name, geometry, cells)

    @invariant()
    def conserved(self) -> None:
        expected = self.model()
        for pool in self.pools:
            snapshot = pool.snapshot(self.now_s)
            parts = {part: getattr(snapshot, part) for part in PARTS}
            assert sum(parts.values()) == snapshot.capacity, (pool.name, parts)
            wanted = expected[pool.name]
            assert parts == {part: wanted.get(part, 0) for part in PARTS}, pool.name
            assert pool.residual() == wanted.get("leaked", 0), pool.name
            pool.audit()

    @invariant()
    def generations_only_grow(self) -> None:
        for pool in self.pools:
            generation = pool.generation
            if generation is None:
                continue
            last = self._generations.get(pool.name)
            if last is not None:
                assert (generation >= last).all(), pool.name
            self._generations[pool.name] = generation.copy()


def plain(snapshot: PoolSnapshot) -> PoolSnapshot:
    """Without counters: a refused call is counted, and that is all it may do."""
    amounts = {name: n for name, n in snapshot.extra.items() if not name.endswith("_total")}
    return dataclasses.replace(snapshot, counters=Counters(), extra=amounts)


def assert_same_cells(name: str, one: Geometry | None, other: Geometry | None) -> None:
    """Equal geometries, array by array."""
    if one is None or other is None:
        assert one is other
        return
    for field in dataclasses.fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        assert np.array_equal(left, right), f"{name}.{field.name}: a failing call changed cells"
