"""`poolscope explain`: a code, an id, an error line or a whole log, explained in a terminal."""

import json
from collections.abc import Sequence

from app.catalog.catalog import CATALOG
from app.catalog.document import document, found, summary
from app.catalog.entry import ErrorEntry
from app.catalog.match import Match, match
from app.catalog.render_text import WIDTH, render, suggestions

FOUND, NOT_FOUND, USAGE = 0, 1, 2


def explain(text_or_code: str, *, as_json: bool = False) -> tuple[str, int]:
    """The answer and the exit code: 0 found, 1 nothing matches, 2 nothing was asked.

    Args:
        text_or_code: a code, a 16-hex id, or text that contains catalogued messages.
        as_json: `{items, nearest}` instead of words; an item is the entry as REST gives it, with
            `match` when it was found in text.
    """
    text = text_or_code.strip()
    if not text:
        return "Give a code, a 16-hex id or an error line.", USAGE
    entry = CATALOG.get(text)
    hits: list[tuple[ErrorEntry, Match | None]]
    hits = [(entry, None)] if entry is not None else [(one.entry, one) for one in match(text)]
    # A part of a message has no numbers, but names its entry all the same.
    hits = hits or [(one, None) for one in CATALOG.quoted(text)]
    nearest = [] if hits else CATALOG.nearest(text)
    code = FOUND if hits else NOT_FOUND
    return (_json(hits, nearest) if as_json else _words(hits, nearest, text)), code


def _json(hits: list[tuple[ErrorEntry, Match | None]], nearest: list[ErrorEntry]) -> str:
    items = []
    for entry, hit in hits:
        seen = None if hit is None else {key: found(hit)[key] for key in _SEEN}
        items.append({**document(entry), "match": seen})
    answer = {"items": items, "nearest": [summary(entry) for entry in nearest]}
    return json.dumps(answer, ensure_ascii=False, indent=1)


_SEEN = ("numbers", "line", "text", "times")


def _words(
    hits: list[tuple[ErrorEntry, Match | None]], nearest: list[ErrorEntry], text: str
) -> str:
    if not hits:
        shown = text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
        return "\n".join(filter(None, [f"No entry matches: {shown}", suggestions(nearest)]))
    # An entry is explained once; the numbers of its other occurrences are listed with it.
    blocks, explained = [], set()
    for entry, hit in hits:
        if entry.code in explained:
            continue
        explained.add(entry.code)
        others = [other for one, other in hits if one is entry and other not in (hit, None)]
        blocks.append(render(entry, hit) + _others(others))
    return f"\n{'-' * WIDTH}\n\n".join(blocks)


def _others(others: Sequence[Match | None]) -> str:
    lines = []
    for hit in others:
        if hit is not None:
            numbers = ", ".join(f"{name} = {value}" for name, value in hit.numbers.items())
            lines.append(f"  line {hit.line}: {numbers}")
    return "\n".join(["", "Also in this text", *lines, ""]) if lines else ""
