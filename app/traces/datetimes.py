"""Dates and times as trace files spell them, to nanoseconds."""

import datetime
import re

from app.traces.errors import RowProblem, excerpt

EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
DAY_S = 86_400
_MOMENT = re.compile(
    rb"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
    rb"(?P<zone>Z|[+-]\d\d:?\d\d)?(?P<rest>.*)",
    re.DOTALL,
)


def moment_ns(text: bytes, field: str, *, zone: bool | None) -> int:
    """Nanoseconds since 1970 of a date with a time of day; UTC where it has a zone.

    Args:
        text: such as `2024-05-10 00:00:00.009930+00:00`, also with T and Z.
        field: its name in the file.
        zone: whether it must have one; None when either is fine.

    Raises:
        RowProblem: it is something else.
    """
    match = _MOMENT.fullmatch(text)
    if match is None or match["rest"]:
        reason = "bad-timestamp" if text else "missing-field"
        raise RowProblem(reason, field, f"{excerpt(text)} is not YYYY-MM-DD hh:mm:ss.f")
    if zone is not None and zone != bool(match["zone"]):
        what = "has no time zone" if zone else "goes on after the time"
        raise RowProblem("time-zone", field, f"{excerpt(text)} {what}, unlike the first row")
    year, month, day, hour, minute, second = (int(match[part]) for part in range(1, 7))
    try:
        days = datetime.date(year, month, day).toordinal() - EPOCH_DAY
    except ValueError:
        raise RowProblem("bad-timestamp", field, f"{excerpt(text)}: no such day") from None
    if hour > 23 or minute > 59 or second > 59:
        raise RowProblem("bad-timestamp", field, f"{excerpt(text)}: no such time of day")
    seconds = days * DAY_S + hour * 3600 + minute * 60 + second - _offset_s(match["zone"])
    return seconds * 10**9 + int((match[7] or b"").ljust(9, b"0"))


def _offset_s(zone: bytes | None) -> int:
    if zone is None or zone == b"Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return minutes * 60 * (-1 if zone.startswith(b"-") else 1)
