"""What a trace format must say about itself; one file per format lies in `app/traces/formats/`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from app.traces.errors import RowProblem


class Row(NamedTuple):
    """One row as read: checked on its own, its time still in the file's unit.

    Attributes:
        time: in ticks of the file's unit; nanoseconds since 1970 where the file spells dates.
        input_tokens: at least 1.
        output_tokens: at least 1.
        hash_ids: one id per prefix block, or None.
    """

    time: int | float
    input_tokens: int
    output_tokens: int
    hash_ids: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A trace format.

    Attributes:
        name: short and stable; shown and stored.
        accepts: what a file looks like, one line, for the list of what is read.
        time_unit: the unit its authors document: ns, us, ms, s, or datetime.
        block_size: tokens per hash id that its authors document; None without prefix information.
        sniff: whether the first bytes of a file (BOM removed) are of this format.
        rows: every row of an open file with its line number, wrong ones as the problem.
    """

    name: str
    accepts: str
    time_unit: str
    block_size: int | None
    sniff: Callable[[bytes], bool]
    rows: Callable[[BinaryIO], Iterator[tuple[int, Row | RowProblem]]]
