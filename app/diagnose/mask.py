"""What must not be shown or stored: secrets, people, machines and addresses.

Masking errs on the side of hiding. Words that a diagnosis needs (ranks, times, sizes, module and
flag names) do not look like any of these.
"""

import re

MAX_SHOWN = 400

ANSI = re.compile(r"\x1b(?:\[[0-?]{0,20}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}\x07?|.)")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SECRET_NAME = (
    r"(?:api[_-]?key|admin[_-]?api[_-]?key|access[_-]?key|secret[\w-]{0,20}|passw(?:or)?d|passwd|"
    r"auth(?:orization)?[_-]?token|[\w-]{0,20}token|credential[\w-]{0,10}|private[_-]?key)"
)
_TOP_LEVEL = (
    "com|net|org|edu|gov|io|ai|dev|app|cloud|internal|local|localdomain|corp|lan|home|intra|cn|de|uk"
    "|fr|jp|kr|in|ru|eu|us|me|xyz|tech|info"
)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-----BEGIN [A-Z ]{1,40}-----.{0,400}"), "<secret>"),
    (re.compile(r"(?i)\b(bearer|basic)\s{1,4}[A-Za-z0-9._~+/=-]{6,2000}"), r"\1 <secret>"),
    (
        re.compile(
            rf"(?i)(\b{_SECRET_NAME}['\"]?\s{{0,3}}[=:]\s{{0,3}})(?!None|null|True|False|\d+[\s,)\]])"
            r"(?:'[^']{0,400}'|\"[^\"]{0,400}\"|[^\s,;)\]}'\"]{1,400})"
        ),
        r"\1<secret>",
    ),
    (re.compile(rf"(?i)(--{_SECRET_NAME}[ =])\S{{1,400}}"), r"\1<secret>"),
    (
        re.compile(
            r"\b(?:sk-|hf_|gh[pousr]_|github_pat_|glpat-|xox[baprs]-|AKIA|ASIA|nvapi-|AIza)"
            r"[A-Za-z0-9_-]{8,200}"
        ),
        "<secret>",
    ),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_.-]{4,2000}"), "<secret>"),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"), "<address>"),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,12}://)[^/\s'\"<>?#]{1,300}"), r"\1<host>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?:/\d{1,2})?\b"), "<address>"),
    (re.compile(r"(?i)(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}(?![\w:])"), "<address>"),
    (
        re.compile(
            r"(?i)(?<![\w:])[0-9a-f]{2,4}(?::[0-9a-f]{1,4}){0,5}::[0-9a-f]{1,4}"
            r"(?::[0-9a-f]{1,4}){0,5}(?![\w:])"
        ),
        "<address>",
    ),
    (re.compile(rf"(?i)\b(?:[a-z0-9_-]{{1,63}}\.){{1,8}}(?:{_TOP_LEVEL})\b(?![\w(.-])(?::\d{{1,5}})?"),
     "<host>"),
    (
        re.compile(r"(?i)\b((?:host(?:name)?|node[_-]?name|pod[_-]?name|server[_-]?name|"
                   r"dist[_-]init[_-]addr|nccl[_-]init[_-]addr)['\"]?\s{0,2}[=:]\s{0,2}['\"]?)"
                   r"(?!None\b|null\b|<)[\w.:-]{1,253}"),
        r"\1<host>",
    ),
    (re.compile(r"(/(?:home|Users)/)[^/\s'\",:]{1,64}"), r"\1<user>"),
    (re.compile(r"(?i)(\\Users\\)[^\\\s'\",:]{1,64}"), r"\1<user>"),
)  # fmt: skip


def plain(text: str) -> str:
    """Without terminal escapes and control characters; a tab becomes a blank."""
    return _CONTROL.sub("", ANSI.sub("", text.replace("\t", " ")))


def mask(text: str) -> str:
    """The text with everything private replaced by the name of its kind."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def shown(line: str) -> str:
    """A line of a log as it may be shown: escapes gone, masked, cut to `MAX_SHOWN` characters."""
    clean = mask(plain(line[: MAX_SHOWN * 3])).strip()
    return clean if len(clean) <= MAX_SHOWN else f"{clean[: MAX_SHOWN - 1]}…"
