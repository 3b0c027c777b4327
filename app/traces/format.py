"""What a trace format must say about itself; one file per format lies in `app/traces/formats/`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from app.traces.errors import RowProblem
from app.traces.options import ReadOptions

#: hash ids are numbers from 0 to this; one times its block must fit 64 bits
MAX_HASH_ID = 2**42 - 1
#: where ids count afresh in every session, each session has a range of its own
SESSION_ID_BITS = 26
MAX_SESSIONS = 2 ** (42 - SESSION_ID_BITS)


class Row(NamedTuple):
    """One row as read: checked on its own, its time still in the file's unit.

    Attributes:
        time: in ticks of the file's unit; nanoseconds since 1970 where the file spells dates.
        input_tokens: at least 1.
        output_tokens: at least 1.
        hash_ids: one id per prefix block, or None.
        image_bytes: of each image's features.
        session: which of the file's conversations it belongs to, from 0; its time counts from the
            start of that.
    """

    time: int | float
    input_tokens: int
    output_tokens: int
    hash_ids: Sequence[int] | None = None
    image_bytes: tuple[int, ...] = ()
    session: int = 0


@dataclass(frozen=True, slots=True)
class Format:
    """A trace format.

    Attributes:
        name: short and stable; shown and stored.
        accepts: what a file looks like, one line, for the list of what is read.
        time_unit: the unit its authors document: ns, us, ms, s, or datetime; "none" when its files
            have no arrivals.
        block_size: tokens per hash id that its authors document; None without prefix information.
        sniff: whether the first bytes of a file (BOM removed) are of this format.
        rows: every row of an open file with its line number, wrong ones as the problem.
        unit_varies: whether writers are known to use other units, so that the rate judges.
        hash_scope: `file` when equal ids mean equal prefixes in all rows, `session` when ids count
            afresh in every conversation.
        tried: whether a published file was at hand when the reader was written.
        remarks: sentences that every reader of such a file must know.
        counted: what a row's number counts.
        has_rates: whether a window of it can be chosen.
        bind: the same format for one file, when options or neighbouring files matter; from path,
            options and the first bytes. May raise TraceError.
    """

    name: str
    accepts: str
    time_unit: str
    block_size: int | None
    sniff: Callable[[bytes], bool]
    rows: Callable[[BinaryIO], Iterator[tuple[int, Row | RowProblem]]]
    unit_varies: bool = False
    hash_scope: str = "file"
    tried: bool = True
    remarks: tuple[str, ...] = ()
    counted: str = "line"
    has_rates: bool = False
    bind: Callable[[Path, ReadOptions, bytes], "Format"] | None = None


def scoped_ids(hash_ids: Sequence[int], session: int) -> Sequence[int]:
    """Ids that count afresh in every session, made distinct over sessions."""
    offset = session << SESSION_ID_BITS
    return [offset + one for one in hash_ids] if offset else hash_ids
