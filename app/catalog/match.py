"""From text to entries: finds catalogued errors in a line or a whole log, with their numbers.

Each pattern is tried only around its anchor, found by plain substring search, so the time is
linear in the text whatever the text says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from app.catalog.catalog import CATALOG
from app.catalog.entry import ErrorEntry
from app.catalog.template import Pattern, compile_template, head_of

#: characters after the first line in which further numbers are looked for
TAIL = 900
#: occurrences of one message that are read; a log that repeats it more often says nothing new
MAX_OCCURRENCES = 5_000

Number = int | float | str


@dataclass(frozen=True, slots=True)
class Match:
    """A catalogued error found in a text.

    Attributes:
        numbers: named as in `entry.figures`; numbers are numbers, names are strings.
        line: of the first occurrence, counted from 1.
        text: the words that matched.
        times: occurrences with the same numbers (one event is printed once per rank).
    """

    entry: ErrorEntry
    numbers: dict[str, Number]
    line: int
    text: str
    times: int


@dataclass(frozen=True, slots=True)
class _Reader:
    heads: tuple[Pattern, ...]
    details: tuple[re.Pattern[str], ...]


@dataclass(slots=True)
class _Hit:
    start: int
    end: int
    numbers: dict[str, Number]
    times: int = 1


def match(text: str) -> list[Match]:
    """Errors in `text`, in order of first appearance; same error and numbers are folded."""
    found: list[tuple[ErrorEntry, _Hit]] = []
    for entry in CATALOG.entries:
        found += ((entry, hit) for hit in _folded(_hits(_reader(entry.code), text)))
    found.sort(key=lambda item: item[1].start)
    matches, line, behind = [], 1, 0
    for entry, hit in found:
        line += text.count("\n", behind, hit.start)
        behind = hit.start
        matches.append(Match(entry, hit.numbers, line, text[hit.start : hit.end], hit.times))
    return matches


@cache
def _reader(code: str) -> _Reader:
    entry = CATALOG.by_code[code]
    first, *rest = entry.printed.split("\n")
    heads = tuple(compile_template(head_of(one)) for one in (first, *entry.also))
    lines = [compile_template(line).regex for line in rest if "{" in line and ":text}" not in line]
    return _Reader(heads, (*lines, *(re.compile(one) for one in entry.details)))


def _folded(hits: list[_Hit]) -> list[_Hit]:
    folded: dict[tuple[tuple[str, Number], ...], _Hit] = {}
    for hit in hits:
        first = folded.setdefault(tuple(sorted(hit.numbers.items())), hit)
        if first is not hit:
            first.times += 1
    return list(folded.values())


def _hits(reader: _Reader, text: str) -> list[_Hit]:
    every = [hit for pattern in reader.heads for hit in _heads(pattern, text)]
    every.sort(key=lambda hit: (hit.start, -hit.end))
    hits: list[_Hit] = []
    for hit in every:  # a shorter wording may lie within a longer one
        if not hits or hit.start >= hits[-1].end:
            hits.append(hit)
    stops = [*(hit.start for hit in hits[1:]), len(text)]
    for hit, stop in zip(hits, stops, strict=False):
        for detail in reader.details:
            tail = detail.search(text, hit.end, min(stop, hit.end + TAIL))
            if tail is not None:
                hit.numbers = {**hit.numbers, **_new(_values(tail, {}), hit.numbers)}
    return hits


def _new(found: dict[str, Number], known: dict[str, Number]) -> dict[str, Number]:
    # the first layout that matches wins; later ones may read a side pool's line
    return {name: value for name, value in found.items() if name not in known}


def _heads(pattern: Pattern, text: str) -> Iterator[_Hit]:
    behind = 0
    at = text.find(pattern.anchor)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return
        found = pattern.regex.search(text, max(behind, at - pattern.reach), at + pattern.reach)
        behind = at + len(pattern.anchor)
        if found is not None:
            behind = max(behind, found.end())
            yield _Hit(found.start(), found.end(), _values(found, pattern.kinds))
        at = text.find(pattern.anchor, behind)


def _values(found: re.Match[str], kinds: dict[str, str]) -> dict[str, Number]:
    values: dict[str, Number] = {}
    for name, value in found.groupdict().items():
        if value is None:
            continue
        kind = kinds.get(name, "int")
        values[name] = int(value) if kind == "int" else float(value) if kind == "float" else value
    return values
