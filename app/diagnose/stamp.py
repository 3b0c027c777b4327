"""Who printed a line, and when: the prefixes that real logs have, in whatever order."""

import calendar
import re
from dataclasses import dataclass
from functools import lru_cache

#: characters of a line in front of a message in which its prefix is looked for
HEAD = 240
#: lines above it, for those that have none
MAX_LINES_ABOVE = 60

_DAY = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[T -](\d\d):(\d\d):(\d\d)")
_AMERICAN = re.compile(r"(\d\d)/(\d\d)/(\d{4})-(\d\d):(\d\d):(\d\d)")
_NO_YEAR = re.compile(r"\b(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\b")
_NEXT_FIELD = re.compile(r'"\s{0,4},\s{0,4}"')
_CLOCK = re.compile(r"\[(\d\d):(\d\d):(\d\d)\b")
_AXIS = r"(?:ATTN_|MOE_)?(?:DP|PP|TP|EP|CP)\d{1,4}"
_RANK = re.compile(rf"(?:^|[\[\s])({_AXIS}(?: {_AXIS}){{0,5}})(?=\s?\]|\s[a-z_]{{1,40}}\.py:)")
#: SGLang's own prefix
_PLAIN = re.compile(rf"\[(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)((?: {_AXIS}){{0,6}})\] ")
_NUMBERED = re.compile(r"\[RANK (\d{1,4})\]|\((?:EngineCore|Worker)_(\w{1,20}) pid=")
#: of a year that has a 29 February, for stamps without one
_LEAP_YEAR = 1972


@dataclass(slots=True)
class Stamp:
    """A line's prefix.

    Attributes:
        time: as ISO text, without a year or a day where the log has none; None without a time.
        at: the same in seconds, comparable within one log.
        rank: `DP0 TP4`, `RANK 1`; None without one.
    """

    time: str | None = None
    at: float | None = None
    rank: str | None = None

    def __bool__(self) -> bool:
        return self.time is not None or self.rank is not None


@lru_cache(maxsize=4_096)
def read_stamp(head: str) -> Stamp:
    """The stamp in what stands before a message on its line.

    A collector's time in front of the server's own loses against the latter.
    """
    time, at = _time(head)
    return Stamp(time, at, _rank(head))


def stamp_of_line(text: str, begin: int, at: int) -> Stamp:
    """The stamp in `text[begin:at]`; fast for SGLang's own prefix, which most lines have."""
    plain = _PLAIN.match(text, begin, at)
    if plain is None or plain.end() != at:
        return read_stamp(text[max(begin, at - HEAD) : at])
    time, seconds = _day(plain[1])
    return Stamp(time, seconds, plain[2].lstrip() or None)


@lru_cache(maxsize=256)
def _day(text: str) -> tuple[str | None, float | None]:
    found = _DAY.match(text)
    return _iso(*found.groups()) if found else (None, None)


def stamp_before(text: str, at: int, reach: int) -> Stamp:
    """The stamp of the line that `text[at]` is on, else of the nearest line above that has one.

    A traceback has a prefix on its first line only.
    """
    start = line_start(text, at)
    stamp = read_stamp(text[max(start, at - HEAD) : at])
    floor = max(0, at - reach)
    for _ in range(MAX_LINES_ABOVE):
        if stamp or start <= floor:
            break
        end = start - 1
        start = line_start(text, end)
        line = text[max(start, floor) : min(end, start + HEAD)]
        if line.startswith(("{", '"')):  # a collector's own time stands in a field of its own
            line = _NEXT_FIELD.split(line, maxsplit=1)[0]
        stamp = read_stamp(line)
    return stamp


def line_start(text: str, at: int) -> int:
    """Where the line begins; a carriage return begins one too."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", max(0, at - HEAD), at)) + 1


def line_end(text: str, at: int) -> int:
    """Where the line that `at` is on ends."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _rank(head: str) -> str | None:
    found = _RANK.search(head)
    if found:
        return found[1]
    numbered = _NUMBERED.search(head)
    if numbered is None:
        return None
    return f"RANK {numbered[1]}" if numbered[1] else numbered[2]


def _time(head: str) -> tuple[str | None, float | None]:
    days = _DAY.findall(head)
    if days:
        return _iso(*days[-1])
    american = _AMERICAN.search(head)
    if american:
        month, day, year, *clock = american.groups()
        return _iso(year, month, day, *clock)
    partial = _NO_YEAR.search(head)
    if partial:
        text, at = _iso(str(_LEAP_YEAR), *partial.groups())
        return (text[5:] if text else None), at
    clock_only = _CLOCK.search(head)
    if clock_only:
        hour, minute, second = clock_only.groups()
        seconds = int(hour) * 3_600 + int(minute) * 60 + int(second)
        return f"{hour}:{minute}:{second}", float(seconds)
    return None, None


def _iso(*parts: str) -> tuple[str | None, float | None]:
    year, month, day, hour, minute, second = map(int, parts)
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61):
        return None, None
    at = calendar.timegm((year, month, day, hour, minute, second))
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}", float(at)
