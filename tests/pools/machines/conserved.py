"""What every machine over pools checks after every step, whatever the step was."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from hypothesis.stateful import RuleBasedStateMachine, invariant

from pools.errors import PoolError
from pools.snapshot import Counters, Geometry, PoolSnapshot

PARTS = ("available", "evictable", "protected", "held", "retired", "leaked")


class Conserved(RuleBasedStateMachine):
    """Holds `pools`; its rules change them beside plain models of their own."""

    #: steps of all machines so far
    steps_total: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.pools: list[Any] = []
        self._generations: dict[str, np.ndarray] = {}
        self.now_s = 0.0

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
        after = self.look()
        for (name, snapshot, geometry), (_, then, cells) in zip(before, after, strict=True):
            assert snapshot == then, f"{name}: a failing call changed the snapshot"
            assert_same_cells(name, geometry, cells)

    def look(self) -> list[tuple[str, PoolSnapshot, Geometry | None]]:
        """All that can be seen, without the counters of failures."""
        return [
            (pool.name, plain(pool.snapshot(self.now_s)), pool.geometry()) for pool in self.pools
        ]

    @invariant()
    def conserved(self) -> None:
        Conserved.steps_total += 1
        for pool in self.pools:
            snapshot = pool.snapshot(self.now_s)
            parts = {part: getattr(snapshot, part) for part in PARTS}
            assert sum(parts.values()) == snapshot.capacity, (pool.name, parts)
            assert min(parts.values()) >= 0, (pool.name, parts)
            assert pool.residual() == 0, pool.name
            pool.audit()

    @invariant()
    def generations_only_grow(self) -> None:
        for pool in self.pools:
            geometry = pool.geometry()
            if geometry is None or geometry.generation is None:
                continue
            last = self._generations.get(pool.name)
            if last is not None:
                assert (geometry.generation >= last).all(), pool.name
            self._generations[pool.name] = geometry.generation


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
