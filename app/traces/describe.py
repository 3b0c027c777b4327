"""A trace in labels and values, for a terminal and for a page."""

import dataclasses
from typing import Any

from app.traces.info import Lengths, TraceInfo
from app.traces.unit_names import WORDS
from app.traces.units import show_rate, show_seconds


def describe(info: TraceInfo) -> list[tuple[str, str]]:
    """Rows to show, in reading order; `note` and `wrong row` may come more than once."""
    packed = f", {info.compression}" if info.compression else ""
    shown = [
        ("trace", info.name),
        ("format", info.format + packed),
        ("rows", _rows(info)),
        ("timestamps", _timestamps(info)),
    ]
    if info.time_unit != "none":
        shown.append(("time range", f"{info.first_time} to {info.last_time}"))
    if info.sessions > 1:
        shown.append(("sessions", f"{info.sessions:,}"))
    shown += [
        ("span", show_seconds(info.span_s)),
        ("rate", show_rate(info.rate_per_s) if info.span_s else "all at one instant"),
        ("input tokens", _lengths(info.input_tokens)),
        ("output tokens", _lengths(info.output_tokens)),
    ]
    if info.images:
        shown.append(("images", f"{info.images:,}"))
    shown += [("prefixes", _prefixes(info)), *_sharing(info)]
    shown += [("note", note) for note in info.notes if note not in info.problems]
    return shown + [("wrong row", problem) for problem in info.problems]


def _timestamps(info: TraceInfo) -> str:
    if info.time_unit == "none":
        return "none in the file: arrivals are drawn"
    unit = WORDS.get(info.time_unit, "dates")
    changed = {
        "file": "",
        "spread": "; arrivals spread within their ticks",
        "drawn": "; not used, arrivals are drawn",
        "drawn-starts": "; sessions start as drawn",
    }
    return unit + changed[info.arrivals]


def _rows(info: TraceInfo) -> str:
    if not info.rows_dropped:
        return f"{info.rows:,}, all used"
    listed = ", ".join(f"{count:,} {reason}" for reason, count in info.rows_dropped.items())
    return f"{info.rows:,}, {info.requests:,} used; dropped: {listed}"


def _lengths(lengths: Lengths) -> str:
    return (
        f"p50 {lengths.p50:,} · p95 {lengths.p95:,} · max {lengths.max:,} · "
        f"{lengths.total:,} in all"
    )


def _prefixes(info: TraceInfo) -> str:
    if info.block_size is None:
        return "no prefix information"
    rounded = "rounded up" if info.rounding == "ceil" else "rounded down"
    space = "one id space for the file" if info.hash_scope == "file" else "ids of each session"
    return f"{info.hash_ids} hash ids of {info.block_size} tokens, {rounded}, {space}"


def _sharing(info: TraceInfo) -> list[tuple[str, str]]:
    if info.sharing is None:
        short = info.block_size is not None
        return [("sharing", "not known: no prompt has a whole block")] if short else []
    shares = info.sharing
    return [
        (
            "sharing",
            f"{shares.tokens_frac:.1%} of prompt tokens, {shares.blocks_frac:.1%} of blocks came "
            f"before ({shares.later_blocks_frac:.1%} without each prompt's first block)",
        )
    ]


def as_text(info: TraceInfo) -> str:
    """For a terminal: one line each, labels in a column."""
    rows = describe(info)
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)


def as_document(info: TraceInfo) -> dict[str, Any]:
    """For a script: every attribute of `TraceInfo`, and what follows from them."""
    return dataclasses.asdict(info) | {
        "requests": info.requests,
        "has_prefix_info": info.has_prefix_info,
    }
