"""What a reader of a replay must know about its trace, one sentence each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.traces.blocks import Blocks
from app.traces.unit_names import WORDS
from app.traces.units import Unit, is_clock, show_rate, show_seconds, show_time

if TYPE_CHECKING:
    from app.traces.summary import Reading

#: rows that a statement about shares needs
ENOUGH_ROWS = 20
MOST = 0.95
HALF = 0.5
#: wrong rows that are named one by one
SHOWN_PROBLEMS = 3


def unit_note(reading: "Reading", rate: float, span_s: float) -> list[str]:
    """The unit with the rate and span that it means, so that a wrong one shows."""
    unit, options = reading.unit, reading.options
    meaning = f"{show_rate(rate)} over {show_seconds(span_s)}" if span_s else "all at one instant"
    if options.arrivals is not None:
        whose = "session starts" if reading.trace_format.hash_scope == "session" else "arrivals"
        known = "" if unit.name == "none" else "; the file's own are not used"
        if whose == "session starts":
            known = "; turns follow as the file says"
        return [f"{whose} are drawn ({options.arrivals}, seed {options.seed}){known}: {meaning}"]
    found = [_unit_words(unit) + f": {meaning}"]
    if options.spread_ticks:
        found.append("arrivals of one tick are spread up to the next, as asked: not the file's own")
    return found


def _unit_words(unit: Unit) -> str:
    if unit.name == "datetime":
        return "timestamps are dates"
    because = f" ({unit.why})" if unit.why else ""
    return f"timestamps read as {WORDS[unit.name]}{because}"


def block_note(reading: "Reading") -> str:
    """What a hash id covers, and how sure that is."""
    blocks = reading.blocks
    if blocks is None:
        return "no prefix information: a hit rate cannot be told from this trace"
    tail = (
        "a last, partial block has an id"
        if blocks.rounding == "ceil"
        else "partial blocks have none"
    )
    text = f"each hash id covers {blocks.size} tokens; {tail}: true of {len(reading.used):,} rows"
    if blocks.rivals:
        others = ", ".join(str(size) for size in blocks.rivals)
        text += f" (the rows would fit {others} as well)"
    scope = reading.options.hash_scope or reading.trace_format.hash_scope
    where = "in the whole file" if scope == "file" else "within one session only"
    return f"{text}; equal ids are equal prefixes {where}"


def dropped_note(dropped: dict[str, int], rows: int, problems: Sequence[str]) -> list[str]:
    """How many rows were wrong, by reason, and where the first ones are."""
    if not dropped:
        return []
    listed = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
    total = sum(dropped.values())
    shown = list(problems[:SHOWN_PROBLEMS])
    if total > len(shown):
        shown.append(f"and {total - len(shown):,} more")
    return [f"{total:,} of {rows:,} rows dropped: {listed}", *shown]


def order_note(arrivals_ns: NDArray[np.int64], order: NDArray[np.int64] | None) -> list[str]:
    """Rows that were not in order of time."""
    if order is None:
        return []
    back = int((np.diff(arrivals_ns) < 0).sum())
    return [f"rows out of order of time ({back:,} steps back): sorted by arrival"]


def start_note(first: int | float, unit: Unit, blocks: Blocks | None) -> list[str]:
    """A slice out of a longer trace."""
    if first == 0 or unit.name == "none" or is_clock(first, unit.name):
        return []
    cold = "; blocks seen before it count as new" if blocks else ""
    return [f"the first timestamp, {show_time(first, unit.name)}, is taken as 0{cold}"]


def arrival_notes(sorted_ns: NDArray[np.int64]) -> list[str]:
    """Arrivals that are an artefact of logging, and silences that swallow the trace."""
    total = len(sorted_ns)
    if total < ENOUGH_ROWS:
        return []
    notes = []
    _, counts = np.unique(sorted_ns, return_counts=True)
    sharing = int(counts[counts > 1].sum())
    if sharing > HALF * total:
        notes.append(
            f"{sharing:,} of {total:,} arrivals share their instant with another, up to "
            f"{counts.max()} at once: ticks of the log, so bursts look sharper than they were"
        )
    gaps = np.diff(sorted_ns)
    longest = int(gaps.max())
    if longest > 0 and longest == int(gaps.min()):
        notes.append(
            f"every gap is {show_seconds(longest / 1e9)}: these arrivals look generated, not "
            "recorded"
        )
    if longest > HALF * (sorted_ns[-1] - sorted_ns[0]):
        before = int(gaps.argmax()) + 1
        notes.append(
            f"one silence of {show_seconds(longest / 1e9)}, after request {before:,}, is over half "
            "of the span: look at the timestamps there"
        )
    return notes


def same_start_note(same_start: NDArray[np.bool_]) -> list[str]:
    """A first block that nearly all prompts share.

    Args:
        same_start: whether a prompt begins with the first one's hash id, bool [requests].
    """
    same, total = int(same_start.sum()), len(same_start)
    if total < ENOUGH_ROWS or same < MOST * total:
        return []
    return [
        f"{same:,} of {total:,} prompts begin with the same hash id: count hits in "
        "blocks, not in requests"
    ]


def copies_note(used: NDArray[np.void]) -> list[str]:
    """Sessions that are recorded more than once, under different names.

    Args:
        used: rows that become requests, `ROW` [requests].
    """
    sessions, starts = np.unique(used["session"], return_index=True)
    if len(sessions) == 1:
        return []
    columns = ("tick", "input_tokens", "output_tokens", "hash_count")
    turns = np.stack([used[column].astype(np.float64) for column in columns], axis=1)
    parts = np.split(turns, starts[1:])
    copies = len(parts) - len({part.tobytes() for part in parts})
    return (
        [f"{copies:,} of {len(parts):,} sessions repeat an earlier one exactly"] if copies else []
    )
