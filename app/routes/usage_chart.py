"""Usage over time as the points of an SVG, so that the chart needs no JavaScript."""

from typing import Any

WIDTH, HEIGHT = 720, 160
SHARES = (
    ("usage_frac", "token usage"),
    ("swa_usage_frac", "window usage"),
    ("mamba_usage_frac", "state usage"),
)
COUNTS = (("running", "running"), ("queued", "queued"))
MAX_TABLE_ROWS = 60


def usage_chart(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Lines of both panels, and rows of the table beside them; None with fewer than two points."""
    if usage is None or len(usage["series"]) < 2:
        return None
    series = usage["series"]
    first, last = series[0]["t"], series[-1]["t"]
    highest = max((point.get(name, 0) for point in series for name, _ in COUNTS), default=0)
    step = -(-len(series) // MAX_TABLE_ROWS)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "shares": [line for one in SHARES if (line := _line(series, one, first, last, 1.0))],
        "counts": [line for one in COUNTS if (line := _line(series, one, first, last, highest))],
        "highest": int(highest),
        "span": _span(last - first) if usage["has_time"] else f"{usage['readings']:,} readings",
        "rows": [{**point, "at": _span(point["t"] - first)} for point in series[::step]],
        "step": step,
        "columns": [one for one in (*SHARES, *COUNTS) if any(one[0] in point for point in series)],
    }


def _line(
    series: list[dict[str, float]], named: tuple[str, str], first: float, last: float, top: float
) -> dict[str, Any] | None:
    name, label = named
    points = [(point["t"], point[name]) for point in series if name in point]
    if not points:
        return None
    across, up = max(last - first, 1e-9), max(top, 1e-9)
    drawn = " ".join(
        f"{(at - first) / across * WIDTH:.1f},{HEIGHT - min(value / up, 1.0) * HEIGHT:.1f}"
        for at, value in points
    )
    return {"name": name, "label": label, "points": drawn, "last": points[-1][1]}


def _span(seconds: float) -> str:
    hours, rest = divmod(int(seconds), 3_600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}"
