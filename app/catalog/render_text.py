"""An entry for a terminal: verdict first, 88 columns, plain ASCII apart from the words."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from app.catalog.catalog import CATALOG
from app.catalog.entry import STATUSES, ErrorEntry, Remedy, Source
from app.catalog.match import Match, Number
from app.catalog.proof_document import proof_of, tried_by_remedy

WIDTH = 88


def render(entry: ErrorEntry, match: Match | None = None) -> str:
    """Everything an operator needs, in reading order; `match` adds the numbers of a log line."""
    blocks = [
        _head(entry),
        wrap(plain(entry.verdict)),
        *([_numbers(entry, match.numbers)] if match and match.numbers else []),
        *_remedies(entry),
        section("Message", entry.message.rstrip("\n").split("\n"), fold=False),
        section("What it means", [plain(entry.meaning)]),
        section("Trigger", [plain(entry.trigger)]),
        section("Flags", [_flag(entry, index) for index in range(len(entry.flags))]),
        section("Seen when", [f"- {plain(one)}" for one in entry.situations]),
        section(
            "Read elsewhere", [f'- "{plain(c.text)}" {plain(c.finding)}' for c in entry.claims]
        ),
        section("Example", _example(entry), fold=False),
        section("In Poolscope", [plain(entry.here)] if entry.here else []),
        section("Raised at", [_place(source) for source in entry.source]),
        section("Related", [_related(code) for code in entry.related]),
        f"Page: {entry.href}   JSON: /api/errors/{entry.id}",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def suggestions(entries: Iterable[ErrorEntry]) -> str:
    """The "did you mean" lines; empty when nothing is near."""
    lines = [f"  {entry.code:<34} {entry.title}" for entry in entries]
    return "\n".join(["Nearest:", *lines]) if lines else ""


def plain(text: str) -> str:
    """Without the backticks that mark code."""
    return text.replace("`", "")


def _head(entry: ErrorEntry) -> str:
    proof = "" if entry.proven else ", not yet proven by a test"
    words = f"{entry.severity}, {entry.exception}, {entry.pool}, {entry.phase}, {entry.origin}"
    return f"{entry.code}: {entry.title}\n{words}{proof}"


def _numbers(entry: ErrorEntry, numbers: dict[str, Number]) -> str:
    known = {figure.name: figure for figure in entry.figures}
    lines = []
    for name, value in numbers.items():
        figure = known.get(name)
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        unit = f" {figure.unit}" if figure and figure.unit else ""
        meaning = f"   {plain(figure.meaning)}" if figure else ""
        lines.append(f"{name} = {shown}{unit}{meaning}")
    return section("In this line", lines)


def _remedies(entry: ErrorEntry) -> list[str]:
    helps = [remedy for remedy in entry.remedies if remedy.status != "refuted"]
    refuted = [remedy for remedy in entry.remedies if remedy.status == "refuted"]
    runs = tried_by_remedy(proof_of(entry))
    numbered = list(enumerate(helps, 1))
    shown = [section("What to do", [_remedy(one, number, runs) for number, one in numbered])]
    if refuted:
        shown.append(section("Does not help", [_remedy(one, 0, runs) for one in refuted]))
    used = [status for status in STATUSES if any(r.status == status for r in entry.remedies)]
    shown.append(section("", [f"{status}: {STATUSES[status]}" for status in used]))
    return shown


def _remedy(remedy: Remedy, number: int, runs: dict[str, list[dict[str, Any]]]) -> str:
    mark = f"{number}." if number else "x"
    direction = "" if remedy.direction == "none" else f", {remedy.direction}"
    parts = [f"{mark} [{remedy.status}{direction}] {plain(remedy.text)}"]
    for label, text in (
        ("Proof", remedy.proof),
        *(("Tried", _run(one)) for one in runs.get(remedy.key, [])),
        ("Not run", remedy.reason if remedy.status == "unproved" else ""),
        ("Cost", remedy.cost),
        ("Not when", remedy.not_when),
        ("Seen", remedy.seen),
    ):
        if text:
            parts.append(f"{label}: {plain(text)}")
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts)


def _run(one: dict[str, Any]) -> str:
    return f"{one['status']} where {one['title'][0].lower()}{one['title'][1:]}. {one['why']}"


def _flag(entry: ErrorEntry, index: int) -> str:
    flag = entry.flags[index]
    direction = "" if flag.direction == "none" else f" [{flag.direction}]"
    return f"{flag.name}{direction}: {plain(flag.effect)}"


def _example(entry: ErrorEntry) -> list[str]:
    if not entry.example_before:
        return []
    before, after = entry.example_before.split("\n"), entry.example_after.split("\n")
    return [
        "before:",
        *(f"  {line}" for line in before),
        "after:",
        *(f"  {line}" for line in after),
    ]


def _place(source: Source) -> str:
    line = f":{source.line}" if source.line else ""
    also = f" ({source.also})" if source.also else ""
    where = f"{source.path}{line} {source.function}, version {source.version}{also}"
    return f"{where}. {plain(source.description)}"


def _related(code: str) -> str:
    return f"{code:<34} {CATALOG.by_code[code].title}"


def section(title: str, lines: list[str], *, fold: bool = True) -> str:
    """A title and its lines, indented; empty without lines."""
    if not lines:
        return ""
    body = [wrap(line, "  ") if fold else f"  {line}" for line in lines]
    return "\n".join([*([title] if title else []), *body])


def wrap(text: str, indent: str = "", hang: int = 0) -> str:
    """Folded to `WIDTH` columns; what follows a list mark, or `hang` columns, lines up."""
    mark = re.match(r"- |x +|\d+\. ", text)
    hanging = indent + " " * (hang or (mark.end() if mark else 0))
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
