"""A server's size for a terminal and for a script."""

import dataclasses
from typing import Any

from app.sizing.byte_size import show_bytes
from app.sizing.server_size import ServerSize
from app.sizing.size_table import SizeRow, table

Cells = tuple[str, ...]


def as_text(found: ServerSize) -> str:
    """The table, the bounds with the binding one marked, and what is not known."""
    args = found.args
    head = (
        f"{args.model.title} on {args.tp_size * args.pp_size} × {args.gpu_gib:g} GiB, "
        f"one rank of one worker"
    )
    rows: list[Cells] = [("what", "asked", "effective", "unit", "rule")]
    rows += [_cells(row) for row in table(found)]
    limits: list[Cells] = [("bound on running requests", "requests", "", "rule")]
    limits += [
        (one.name, _span(one.low, one.high, ""), "<- binds" if one.binding else "", one.rule)
        for one in found.bounds
    ]
    parts = [head, "", *_columns(rows, right={1, 2}), "", *_columns(limits, right={1}), ""]
    return "\n".join([*parts, *notes(found)])


def as_document(found: ServerSize) -> dict[str, Any]:
    """All numbers for a script; `low` and `high` are equal where the capacity is pinned."""
    args = found.args
    return {
        "model": dataclasses.asdict(args.model),
        "pinned": found.pinned,
        "max_total_num_tokens": {"low": found.tokens[0], "high": found.tokens[1]},
        "max_running_requests": {"low": found.running[0], "high": found.running[1]},
        "rows": [dataclasses.asdict(row) for row in table(found)],
        "bounds": [dataclasses.asdict(one) for one in found.bounds],
        "notes": notes(found),
    }


def notes(found: ServerSize) -> list[str]:
    """What a reader must know before trusting the numbers."""
    args, said = found.args, []
    if not found.pinned:
        said.append(
            "A band: free memory after the weights are loaded is known only to a started server. "
            "--from-log with the line that has max_total_num_tokens=N pins it."
        )
    if found.ends[0].tokens == 0:
        said.append("At the low end nothing is left for KV: the server may not start.")
    if args.attn_dp > 1:
        said.append(
            "Under DP attention every worker holds all attention weights: free memory can lie "
            "below the band."
        )
    if args.model.weights_estimated and args.weights_gib is None:
        said.append("Weights are estimated from the shape: --weights-gib gives their size.")
    if found.tokens[0] < args.context_len:
        said.append(
            f"One request of the full context ({args.context_len:,} tokens) does not fit"
            + (" at the low end." if found.tokens[1] >= args.context_len else ".")
        )
    return said


def _cells(row: SizeRow) -> Cells:
    asked = "" if row.asked is None else _one(row.asked, row.unit)
    return (row.name, asked, _span(row.low, row.high, row.unit), row.unit, row.rule)


def _span(low: float | str, high: float | str, unit: str) -> str:
    if low == high:
        return _one(low, unit)
    return f"{_one(low, unit)} – {_one(high, unit)}"


def _one(value: float | str, unit: str) -> str:
    if isinstance(value, str):
        return value
    if unit == "bytes" and value >= 1 << 20:
        return show_bytes(int(value))
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _columns(rows: list[Cells], right: set[int]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    shown = []
    for row in rows:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        shown.append("  ".join(cells).rstrip())
    return shown
