"""Every spelling of a date that a trace was seen with."""

import datetime

import pytest

from app.traces.datetimes import moment_ns
from app.traces.errors import RowProblem

SECOND = int(datetime.datetime(2024, 5, 10, tzinfo=datetime.UTC).timestamp())


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2024-05-10 00:00:00.0000007", 700),
        ("2024-05-10 00:00:00.009930+00:00", 9_930_000),
        ("2024-05-10 00:00:00+00:00", 0),
        ("2024-05-10T00:00:00.269Z", 269_000_000),
        ("2024-05-10 02:00:00.5+02:00", 500_000_000),
        ("2024-05-09 19:30:00-0430", 0),
        ("2024-05-10 00:00:00,123", 123_000_000),
        ("2024-05-10T00:00:00.123456", 123_456_000),
    ],
)
def test_each_spelling_is_the_same_moment(text: str, ns: int) -> None:
    assert moment_ns(text.encode(), "t", zone=None) == SECOND * 10**9 + ns


@pytest.mark.parametrize(
    ("text", "zone", "reason"),
    [
        ("2024-05-10 00:00:00Z", False, "time-zone"),
        ("2024-05-10 00:00:00", True, "time-zone"),
        ("2024-05-10 00:00:00 UTC", None, "bad-timestamp"),
        ("2024-05-10", None, "bad-timestamp"),
        ("1715299200", None, "bad-timestamp"),
        ("2024-13-10 00:00:00", None, "bad-timestamp"),
        ("2024-05-10 00:60:00", None, "bad-timestamp"),
        ("", None, "missing-field"),
    ],
)
def test_what_is_no_moment_is_named(text: str, zone: bool | None, reason: str) -> None:
    with pytest.raises(RowProblem) as caught:
        moment_ns(text.encode(), "t", zone=zone)
    assert caught.value.reason == reason
