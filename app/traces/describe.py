"""A trace in labels and values, for a terminal and for a page."""

import dataclasses
from typing import Any

from app.traces.info import Lengths, TraceInfo
from app.traces.units import WORDS, show_rate, show_seconds


def describe(info: TraceInfo) -> list[tuple[str, str]]:
    """Rows to show, in reading order; `note` and `wrong row` may come more than once."""
    return [
        ("trace", info.name),
        ("format", info.format),
        ("rows", _rows(info)),
        ("timestamps", WORDS.get(info.time_unit, "dates without a time zone")),
        ("time range", f"{info.first_time} to {info.last_time}"),
        ("span", show_seconds(info.span_s)),
        ("rate", show_rate(info.rate_per_s) if info.span_s else "all at one instant"),
        ("input tokens", _lengths(info.input_tokens)),
        ("output tokens", _lengths(info.output_tokens)),
        ("prefixes", _prefixes(info)),
        *(("note", note) for note in info.notes),
        *(("wrong row", problem) for problem in info.problems),
    ]


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
    return f"hash ids of {info.block_size} tokens, {rounded}, one id space for the file"


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
