"""A comparison as one HTML file: self-contained, deterministic, made to be read and printed."""

import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from app import __version__, assets
from app.compare.comparison import Comparison
from app.compare.grid import shown
from app.compare.judge import CANNOT_SEE

WIDTH, HEIGHT = 260, 64
READ_BYTES = 1 << 20


def html(comparison: Comparison, trace: Path, command: str) -> str:
    """The page.

    Args:
        comparison: what was found.
        trace: the input, which is hashed.
        command: how to get the same again.
    """
    environment = Environment(
        loader=FileSystemLoader(assets.templates_dir()),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    end_s = max((curve[-1][0] for curve in comparison.curves if curve), default=1.0)
    return environment.get_template("compare_report.html").render(
        c=comparison,
        cells=[
            _cell(row, curve, end_s)
            for row, curve in zip(comparison.rows, comparison.curves, strict=True)
        ],
        cannot_see=CANNOT_SEE,
        trace_name=trace.name,
        trace_sha256=_sha256(trace),
        version=__version__,
        command=command,
        end_s=end_s,
        width=WIDTH,
        height=HEIGHT,
    )


def _cell(row: dict[str, Any], curve: list[list[float]], end_s: float) -> dict[str, Any]:
    most = max((running + queued for _, running, queued, _ in curve), default=1) or 1
    return {
        **row,
        "label": [f"{name} {shown(value)}" for name, value in row["flags"].items()],
        "most": int(most),
        "kv": _points([(t, used) for t, _, _, used in curve], end_s),
        "running": _points([(t, running / most) for t, running, _, _ in curve], end_s),
        "queued": _points(
            [(t, (running + queued) / most) for t, running, queued, _ in curve], end_s
        ),
    }


def _points(series: list[tuple[float, float]], end_s: float) -> str:
    return " ".join(
        f"{WIDTH * t / end_s:.1f},{HEIGHT * (1 - min(max(share, 0.0), 1.0)):.1f}"
        for t, share in series
    )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
