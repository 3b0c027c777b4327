"""Message templates: literal text with typed holes, compiled to patterns that stay linear.

`{name}` is a whole number, `{name:float}` a decimal, `{name:word}` a token without blanks,
`{name:label}` one word or two (`CUDA IPC`), `{name:phrase}` words, `{name:size}` an amount of
bytes, `{name:triple}` three whole numbers in brackets, `{name:shape}` up to four, `{name:text}`
anything within the line (once in a template). Every repetition is bounded, so a pattern costs a
bounded number of steps at any position; the patterns are also valid for RE2 engines (Go, Loki,
ripgrep).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

HOLE = re.compile(r"\{([a-z_][a-z0-9_]*)(?::([a-z]+))?\}")
#: less literal text than this would match ordinary log lines
MIN_ANCHOR = 8
#: kind of hole: its pattern and the most characters it takes
KINDS = {
    "int": (r"-?\d{1,20}", 21),
    "float": (r"-?\d{1,20}(?:\.\d{1,20})?", 42),
    "word": (r"[^\s,;()]{1,120}", 120),
    "label": (r"\b[A-Za-z][\w-]{0,30}(?: [A-Z]{2,8})?", 40),
    "phrase": (r"\b[A-Za-z][\w -]{0,80}?", 81),
    "size": (r"\d[\d.,]{0,20} ?[KMGT]?i?B(?:ytes)?", 30),
    "shape": (r"\((?:\d{1,20},? ?){0,4}\)", 90),
    "triple": (r"\(-?\d{1,20}, -?\d{1,20}, -?\d{1,20}\)", 70),
    "text": (r"[^\n]{1,200}?", 200),
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled template.

    Attributes:
        anchor: the longest literal piece; text without it cannot match.
        regex: named groups are the holes.
        reach: most characters a match can take.
        kinds: kind of each hole, for conversion.
    """

    anchor: str
    regex: re.Pattern[str]
    reach: int
    kinds: dict[str, str]


def compile_template(template: str) -> Pattern:
    """Compile one line.

    Raises:
        ValueError: too little literal text, an unknown kind of hole, or a name used twice.
    """
    literals, holes = _parts(template)
    anchor = max(literals, key=len)
    if len(anchor) < MIN_ANCHOR:
        raise ValueError(f"template needs {MIN_ANCHOR} literal characters in a row: {template!r}")
    pieces, reach = [re.escape(literals[0])], len(literals[0])
    for (name, kind), literal in zip(holes, literals[1:], strict=True):
        pattern, longest = KINDS[kind]
        if kind == "text" and not literal:
            pattern = pattern.removesuffix("?")  # nothing follows: take the rest of the line
        pieces.append(f"(?P<{name}>{pattern}){re.escape(literal)}")
        reach += longest + len(literal)
    return Pattern(anchor, re.compile("".join(pieces)), reach, dict(holes))


def fill(template: str, values: Mapping[str, object]) -> str:
    """The text a template prints for these values.

    Raises:
        KeyError: a hole without a value.
    """
    return HOLE.sub(lambda hole: str(values[hole[1]]), template)


def head_of(printed: str) -> str:
    """The first line without its trailing blanks and commas, which logs often lose."""
    return printed.partition("\n")[0].rstrip(" ,")


def _parts(template: str) -> tuple[list[str], list[tuple[str, str]]]:
    literals: list[str] = []
    holes: list[tuple[str, str]] = []
    end = 0
    for hole in HOLE.finditer(template):
        name, kind = hole[1], hole[2] or "int"
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r} of hole {name!r}; known: {', '.join(KINDS)}")
        if kind == "text" and any(kind == known for _, known in holes):
            raise ValueError(f"two holes of kind text would multiply their cost: {template!r}")
        if any(name == known for known, _ in holes):
            raise ValueError(f"hole {name!r} is used twice in {template!r}")
        literals.append(template[end : hole.start()])
        holes.append((name, kind))
        end = hole.end()
    literals.append(template[end:])
    return literals, holes
