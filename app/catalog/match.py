"""From text to entries: finds catalogued errors in a line or a whole log, with their numbers.

One pass of a compiled automaton says which anchors occur at all; a pattern is then tried only
around its anchor, and is bounded, so the time is linear in the text whatever the text says.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from app.catalog.catalog import CATALOG
from app.catalog.entry import ErrorEntry
from app.catalog.scan import LiteralSet
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
class Hit:
    """One occurrence: `text[start:end]` is its first line.

    Attributes:
        wording: 0 for today's words, from 1 for an older or shortened form.
    """

    entry: ErrorEntry
    start: int
    end: int
    numbers: dict[str, Number]
    wording: int = 0
    times: int = 1


def match(text: str) -> list[Match]:
    """Errors in `text`, in order of first appearance; same error and numbers are folded."""
    matches, line, behind = [], 1, 0
    for hit in _folded(hits(text)):
        line += text.count("\n", behind, hit.start)
        behind = hit.start
        matches.append(Match(hit.entry, hit.numbers, line, text[hit.start : hit.end], hit.times))
    return matches


def hits(
    text: str, present: Collection[str] | None = None, skip: Collection[str] = ()
) -> list[Hit]:
    """Every occurrence, in order, unfolded.

    Args:
        text: a line, or a piece of a log.
        present: the anchors that occur in it, when a wider scan has told already.
        skip: codes that are not wanted.
    """
    if present is None:
        present = _scanner().within(text)
    if not present:
        return []
    found: list[Hit] = []
    for entry in CATALOG.entries:
        reader = _reader(entry.code)
        wanted = entry.code not in skip
        if wanted and any(pattern.anchor in present for pattern in reader.heads):
            found += _hits(entry, reader, text)
    found.sort(key=lambda hit: hit.start)
    return found


@cache
def anchors() -> tuple[str, ...]:
    """Literals without which no entry can match."""
    readers = (_reader(entry.code) for entry in CATALOG.entries)
    return tuple(sorted({pattern.anchor for reader in readers for pattern in reader.heads}))


def anchor_of(code: str) -> str:
    """The mark of today's wording of an entry."""
    return _reader(code).heads[0].anchor


@cache
def _scanner() -> LiteralSet:
    return LiteralSet(anchors())


@cache
def _reader(code: str) -> _Reader:
    entry = CATALOG.by_code[code]
    first, *rest = entry.printed.split("\n")
    heads = tuple(compile_template(head_of(one)) for one in (first, *entry.also))
    lines = [compile_template(line).regex for line in rest if "{" in line and ":text}" not in line]
    return _Reader(heads, (*lines, *(re.compile(one) for one in entry.details)))


def _folded(found: list[Hit]) -> list[Hit]:
    folded: dict[tuple[object, ...], Hit] = {}
    for hit in found:
        first = folded.setdefault((hit.entry.code, *sorted(hit.numbers.items())), hit)
        if first is not hit:
            first.times += 1
    return list(folded.values())


def _hits(entry: ErrorEntry, reader: _Reader, text: str) -> list[Hit]:
    every = [
        Hit(entry, found.start(), found.end(), _values(found, pattern.kinds), wording)
        for wording, pattern in enumerate(reader.heads)
        for found in _heads(pattern, text)
    ]
    every.sort(key=lambda hit: (hit.start, -hit.end))
    found: list[Hit] = []
    for hit in every:  # a shorter wording may lie within a longer one
        if not found or hit.start >= found[-1].end:
            found.append(hit)
    stops = [*(hit.start for hit in found[1:]), len(text)]
    for hit, stop in zip(found, stops, strict=False):
        for detail in reader.details:
            tail = detail.search(text, hit.start, min(stop, hit.end + TAIL))
            if tail is not None:
                hit.numbers = {**hit.numbers, **_new(_values(tail, {}), hit.numbers)}
    return found


def _new(found: dict[str, Number], known: dict[str, Number]) -> dict[str, Number]:
    # the first layout that matches wins; later ones may read a side pool's line
    return {name: value for name, value in found.items() if name not in known}


def _heads(pattern: Pattern, text: str) -> Iterator[re.Match[str]]:
    behind = 0
    at = text.find(pattern.anchor)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return
        found = pattern.regex.search(text, max(behind, at - pattern.reach), at + pattern.reach)
        behind = at + len(pattern.anchor)
        if found is not None:
            behind = max(behind, found.end())
            yield found
        at = text.find(pattern.anchor, behind)


def _values(found: re.Match[str], kinds: dict[str, str]) -> dict[str, Number]:
    values: dict[str, Number] = {}
    for name, value in found.groupdict().items():
        if value is None:
            continue
        # details have no kinds: a group of theirs is a number, whole or decimal
        kind = kinds.get(name, "float" if "." in value else "int")
        values[name] = int(value) if kind == "int" else float(value) if kind == "float" else value
    return values
