"""The whole comparison: cells, the one to take, and the same one shaken."""

from dataclasses import dataclass
from typing import Any

from app.compare.grid import Cell
from app.compare.judge import CANNOT_SEE, SHAKES, recommend, row_of, stands, summary
from app.compare.runner import Progress, Row, Runner


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results of one grid; `curves[i]` is (s, running, queued, KV share in use) of cell i."""

    trace: dict[str, Any]
    rows: list[Row]
    curves: list[list[list[float]]]
    chosen: int | None
    sentence: str
    robustness: list[dict[str, str]]

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `poolscope compare`."""
        recommended = None
        if self.chosen is not None:
            row = self.rows[self.chosen]
            recommended = {"flags": row["flags"], "margins": row["margins"]}
        return {
            "summary": self.sentence,
            "trace": self.trace,
            "cells": self.rows,
            "recommended": recommended,
            "robustness": self.robustness,
            "cannot_see": list(CANNOT_SEE),
        }


def compare(runner: Runner, cells: list[Cell], progress: Progress | None = None) -> Comparison:
    """Run every cell, take one, and run that one again under each change."""
    results = runner.run([(cell, {}) for cell in cells], progress)
    rows = [row_of(result) for result in results]
    chosen = recommend(rows)
    robustness = []
    if chosen is not None:
        again = runner.run([(cells[chosen], change) for _, change in SHAKES])
        for (name, _), result in zip(SHAKES, again, strict=True):
            verdict = stands(rows[chosen], row_of(result))
            robustness.append({"change": name, "verdict": verdict})
    whole = next((result for result in results if "problem" not in result), {})
    return Comparison(
        trace=whole.get("trace", {}),
        rows=rows,
        curves=[result.get("observed", {}).get("curve", []) for result in results],
        chosen=chosen,
        sentence=summary(cells, rows, chosen),
        robustness=robustness,
    )
