"""A validation as text for a terminal."""

from typing import Any

ROWS = (
    ("binding limit", ("binding_limit",)),
    ("peak running", ("peak_running",)),
    ("queue wait p50, s", ("queue_wait_s", "p50")),
    ("queue wait p95, s", ("queue_wait_s", "p95")),
)
COLUMNS = ("fitted", "second half", "no fit", "peak = limit")


def summarize(result: dict[str, Any]) -> str:
    """Predicted / measured for each figure, a column per way of predicting."""
    blocks = (result, result["second_half"], result["defaults"], result["trivial"])
    lines = [
        f"{result['run']}: {result['model']}",
        "",
        f"  {'predicted / measured':<22}" + "".join(f"{name:>20}" for name in COLUMNS),
    ]
    for title, path in ROWS:
        lines.append(f"  {title:<22}" + "".join(f"{_cell(one, path):>20}" for one in blocks))
    shown = [one.get("occupancy_mae_points") for one in blocks]
    cells = "".join(f"{'-' if value is None else f'{value:.1f}':>20}" for value in shown)
    lines += [f"  {'occupancy off, points':<22}" + cells, ""]
    missed = [name.replace("_", " ") for name, met in result["targets"].items() if met is False]
    lines.append(f"MISSED: not {', not '.join(missed)}." if missed else "All targets are met.")
    lines += [f"note: {note}" for note in result["notes"]]
    return "\n".join([*lines, result["scope"]])


def _cell(block: dict[str, Any], path: tuple[str, ...]) -> str:
    found: Any = block
    for key in path:
        found = found.get(key) if found else None
    if found is None:
        return "-"
    return f"{_short(found['predicted'])} / {_short(found['measured'])}"


def _short(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
