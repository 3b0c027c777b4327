"""A random walk over two pools that must answer alike, step by step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import numpy as np
import torch

#: a method of both sides, and what it is called with
Operation = tuple[str, tuple[Any, ...]]


class Side(Protocol):
    """One of the two pools behind the names that both share; operations are its methods."""

    def look(self) -> Mapping[str, object]:
        """Everything that can be observed: sizes, and free ids in the order of taking."""
        ...


class Chooser(Protocol):
    """Which operation comes next, from what the walk has been given so far."""

    def choose(self) -> Operation:
        """The next operation."""
        ...

    def note(self, operation: Operation, value: Any) -> None:
        """Both sides answered `value`."""
        ...


@dataclass(frozen=True, slots=True)
class Setup:
    """How both pools are built.

    Attributes:
        checks: mode of ours. Under strict checks the walk makes no mistakes, as ours refuses them.
        sizes: what the pair's sides take.
    """

    checks: str
    sizes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def misuse(self) -> bool:
        """Whether the walk also does what it should not."""
        return self.checks == "upstream"

    def __str__(self) -> str:
        return ", ".join([self.checks, *(f"{name}={value}" for name, value in self.sizes.items())])


@dataclass(frozen=True, slots=True)
class Pair:
    """One kind of pool and its original."""

    ours: Callable[[Setup], Side]
    upstream: Callable[[Setup], Side]
    chooser: Callable[[Setup, Random], Chooser]
    setups: Callable[[], Sequence[Setup]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value or what was raised."""

    value: Any = None
    error: BaseException | None = None

    def __str__(self) -> str:
        if self.error is None:
            return repr(self.value)
        return f"{type(self.error).__name__}: {self.error}"

    def is_as(self, upstream: "Outcome") -> bool:
        """Same value; or an error of upstream's type (ours may be a subclass), same message."""
        if self.error is None or upstream.error is None:
            return self.error is upstream.error and self.value == upstream.value
        same_type = isinstance(self.error, type(upstream.error))
        return same_type and str(self.error) == str(upstream.error)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a walk ended because the two sides disagreed."""

    where: str
    operations: tuple[Operation, ...]
    ours: str
    upstream: str

    def __str__(self) -> str:
        told = "\n".join(f"    {name}{arguments!r}" for name, arguments in self.operations[-12:])
        return f"{self.where}\n{told}\n  ours:     {self.ours}\n  upstream: {self.upstream}"


def attempt(side: Side, operation: Operation) -> Outcome:
    """Call one operation on one side."""
    name, arguments = operation
    try:
        return Outcome(plain(getattr(side, name)(*arguments)))
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        return Outcome(error=error)


def compare(
    ours: Side, upstream: Side, operation: Operation
) -> tuple[Outcome, tuple[Outcome, Outcome] | None]:
    """Call one operation on both sides: our answer, and both where they are not the same."""
    mine, theirs = attempt(ours, operation), attempt(upstream, operation)
    if not mine.is_as(theirs):
        return mine, (mine, theirs)
    seen, expected = ours.look(), upstream.look()
    names = [name for name in expected if seen.get(name) != expected[name]]
    if names:
        shown = [Outcome({name: look.get(name) for name in names}) for look in (seen, expected)]
        return mine, (shown[0], shown[1])
    return mine, None


def walk(pair: Pair, setup: Setup, seed: int, steps: int) -> tuple[int, Difference | None]:
    """So many operations on new pools; how many were made, and the first disagreement."""
    ours, upstream = pair.ours(setup), pair.upstream(setup)
    chooser = pair.chooser(setup, Random(seed))
    operations: list[Operation] = []
    for step in range(1, steps + 1):
        operation = chooser.choose()
        operations.append(operation)
        answer, unlike = compare(ours, upstream, operation)
        if unlike is not None:
            where = f"{setup}, seed {seed}, step {step}"
            return step, Difference(where, tuple(operations), *map(str, unlike))
        chooser.note(operation, answer.value)
    return steps, None


def plain(value: Any) -> Any:
    """Arrays and tensors as lists, so that both sides' answers compare."""
    if isinstance(value, torch.Tensor | np.ndarray):
        return value.tolist()
    if isinstance(value, np.integer):
        return int(value)
    return value
