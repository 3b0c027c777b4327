"""An entry as plain data: the one shape that REST, `explain --json` and the pages show."""

from dataclasses import asdict
from typing import Any

from app.catalog.catalog import CATALOG
from app.catalog.entry import ErrorEntry, Source
from app.catalog.match import Match
from app.catalog.proof_document import proof_of
from app.catalog.template import compile_template, head_of

PROJECTS = {"sglang": "sgl-project/sglang", "poolscope": "poolscope"}


def summary(entry: ErrorEntry) -> dict[str, Any]:
    """What a list shows."""
    return {
        "code": entry.code,
        "id": entry.id,
        "project": PROJECTS[entry.origin],
        "title": entry.title,
        "verdict": entry.verdict,
        "severity": entry.severity,
        "exception": entry.exception,
        "message": entry.message,
        "pool": entry.pool,
        "phase": entry.phase,
        "reach": entry.reach,
        "origin": entry.origin,
        "proven": entry.proven,
        "href": entry.href,
        "api": f"/api/errors/{entry.id}",
    }


def document(entry: ErrorEntry) -> dict[str, Any]:
    """Everything the catalog says."""
    return {
        **summary(entry),
        "meaning": entry.meaning,
        "trigger": entry.trigger,
        "situations": list(entry.situations),
        "remedies": [asdict(remedy) for remedy in entry.remedies],
        "flags": [asdict(flag) for flag in entry.flags],
        "claims": [asdict(claim) for claim in entry.claims],
        "example_before": entry.example_before,
        "example_after": entry.example_after,
        "line": entry.printed,
        "patterns": patterns(entry),
        "figures": [asdict(figure) for figure in entry.figures],
        "source": [_source(one) for one in entry.source],
        "here": entry.here,
        "fault": entry.fault,
        "proof": proof_of(entry),
        "related": [summary(CATALOG.by_code[code]) for code in entry.related],
        "reports": [{"name": name, "href": report_url(name)} for name in entry.reports],
    }


def found(match: Match) -> dict[str, Any]:
    """An entry recognised in a text."""
    return {
        **summary(match.entry),
        "numbers": match.numbers,
        "line": match.line,
        "text": match.text,
        "times": match.times,
    }


def patterns(entry: ErrorEntry) -> list[str]:
    """Regular expressions of the first line, today's wording first; RE2 reads them too."""
    first = head_of(entry.printed)
    return [compile_template(head_of(one)).regex.pattern for one in (first, *entry.also)]


def report_url(name: str) -> str:
    """The thread behind owner/repository#number."""
    repository, _, number = name.partition("#")
    return f"https://github.com/{repository}/issues/{number}"


def _source(source: Source) -> dict[str, Any]:
    return {**asdict(source), "url": source.url}
