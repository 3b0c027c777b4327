"""Results of `poolscope prove` as a table, as one line, and as plain data."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from app.catalog.entry import STATUSES
from app.catalog.prove import CauseResult, EntryResult, TryResult

MARKS = {"proved": "+", "avoids": "~", "refuted": "x", "unproved": "?"}


def line_of(result: EntryResult) -> list[str]:
    """The rows of one error: its causes, then what was tried on each."""
    lines = [result.entry.code]
    for cause in result.causes:
        word = "reproduced" if cause.reproduced else "NOT reproduced"
        lines.append(f"  {cause.cause.name}: {word}. {cause.cause.title}.")
        lines += [_tried(one) for one in cause.tries]
    reasons = {one.key or one.text: one.reason for one in result.entry.remedies}
    lines += [
        f"    ? unproved  {name[:60]}: {reason or 'no test has run it'}"
        for name, reason in reasons.items()
        if name in _unproved(result)
    ]
    lines += [f"  FAILURE {failure}" for failure in result.failures]
    return lines


def summary(results: Sequence[EntryResult]) -> dict[str, int]:
    """Counts over causes and remedies; a remedy counts once, at its best."""
    statuses = Counter(outcome.status for result in results for outcome in result.outcomes.values())
    statuses["unproved"] = sum(len(_unproved(result)) for result in results)
    return {
        "causes_reproduced": sum(one.reproduced for result in results for one in result.causes),
        **{status: statuses[status] for status in STATUSES},
        "failures": sum(len(result.failures) for result in results),
    }


def summary_line(results: Sequence[EntryResult]) -> str:
    """The last line: what was reproduced, what the remedies came to, what failed."""
    counts = summary(results)
    words = ", ".join(f"{counts[status]} {status}" for status in STATUSES)
    return (
        f"{counts['causes_reproduced']} causes reproduced, {words}, {counts['failures']} failures"
    )


def plain(result: EntryResult) -> dict[str, Any]:
    """One error as JSON-ready data, without the cells of the maps."""
    return {
        "code": result.entry.code,
        "failures": list(result.failures),
        "remedies": {key: asdict(outcome) for key, outcome in result.outcomes.items()},
        "unproved": _unproved(result),
        "causes": [_cause(one) for one in result.causes],
    }


def _cause(result: CauseResult) -> dict[str, Any]:
    return {
        "name": result.cause.name,
        "title": result.cause.title,
        "setting": result.cause.setting,
        "reproduced": result.reproduced,
        "before": observed(result.before),
        "tries": [
            {
                "remedy": one.remedy,
                "status": one.outcome.status,
                "why": one.outcome.why,
                "values": one.values,
                "after": observed(one.after),
            }
            for one in result.tries
        ],
    }


def observed(seen: Any) -> dict[str, Any]:  # noqa: ANN401 - an Observation
    """An observation without its pools."""
    data = asdict(seen)
    del data["pools"], data["pools_when"]
    return data


def _tried(one: TryResult) -> str:
    values = f" ({one.values} values)" if one.values > 1 else ""
    return (
        f"    {MARKS[one.outcome.status]} {one.outcome.status:<9} {one.remedy}{values}: "
        f"{one.outcome.why}"
    )


def _unproved(result: EntryResult) -> list[str]:
    tried = result.outcomes
    return [
        one.key or one.text
        for one in result.entry.remedies
        if one.status == "unproved" and one.key not in tried
    ]
