"""The list of operations in ops.toml, read and checked."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("ops.toml")
#: pairs without a target: ways of other servers
BESIDE = ("block_queue", "block_deque")


@dataclass(frozen=True, slots=True)
class Op:
    """One operation: what the report calls it, the pair that runs it, whether frees wait."""

    name: str
    pair: str
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Ops:
    """Sizes and operations; amounts in tokens, rows, MiB and slots."""

    batches: tuple[int, ...]
    slots: int
    page_size: int
    rows: int
    feature_mib: int
    feature_slots: int
    ops: tuple[Op, ...]

    @property
    def page_slots(self) -> int:
        """`slots` in whole pages."""
        return self.slots // self.page_size * self.page_size


def load(file: Path = FILE) -> Ops:
    """The operations of a file.

    Raises:
        TypeError: a key that is missing or unknown, named.
    """
    with file.open("rb") as opened:
        given = tomllib.load(opened)
    ops = tuple(Op(**op) for op in given.pop("op"))
    return Ops(batches=tuple(given.pop("batches")), ops=ops, **given)
