"""Every public report: the right event, the right cause, and nothing wrong that is certain."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog.catalog import CATALOG
from app.catalog.match import match
from app.diagnose.diagnose import diagnose_text
from app.diagnose.document import document

M = re.MULTILINE
IDLE = "INFO done\n"
LEAST_CODES_FRAC, LEAST_CLASSES_FRAC, LEAST_PRECISION_FRAC = 0.95, 0.80, 0.90


@pytest.fixture(scope="module")
def judged() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    data = os.environ.get("POOLSCOPE_DATA")
    if not data:
        pytest.skip("POOLSCOPE_DATA is not set; test_rules.py judges logs of its own")
    lines = (Path(data) / "reports" / "reports.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    return [(report, document(diagnose_text(report["log"]))) for report in reports]


def test_main_event_is_the_reported_one(
    judged: list[tuple[dict[str, Any], dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    known = [(report, doc["verdict"]["code"]) for report, doc in judged if report["catalog"]]
    wrong = [(r["id"], r["catalog"], code) for r, code in known if code != r["catalog"]]
    with capsys.disabled():
        print(f"\nmain event: {len(known) - len(wrong)} of {len(known)} right; wrong: {wrong}")
    assert known
    assert len(wrong) <= len(known) * (1 - LEAST_CODES_FRAC)


def test_cause_is_right_where_the_log_tells(
    judged: list[tuple[dict[str, Any], dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    telling = [
        (r, doc["verdict"]["cause_class"]) for r, doc in judged if r["determinable_from_log"]
    ]
    wrong = [(r["id"], r["cause_class"], said) for r, said in telling if said != r["cause_class"]]
    with capsys.disabled():
        print(f"\ncause: {len(telling) - len(wrong)} of {len(telling)} right; wrong: {wrong}")
    assert telling
    assert len(wrong) <= len(telling) * (1 - LEAST_CLASSES_FRAC)


def test_nothing_certain_is_wrong(judged: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    certain = [
        (r, doc["verdict"]) for r, doc in judged if doc["verdict"]["confidence"] == "certain"
    ]
    wrong = [
        (report["id"], said["cause_class"], said["direction"], said["code"])
        for report, said in certain
        if said["cause_class"] != report["cause_class"]
        or said["direction"] != report["direction"]
        or said["code"] != report["catalog"]
    ]
    assert len(certain) >= 10, "a diagnosis that is never sure is of no use"
    assert wrong == []


def test_events_are_precise(
    judged: list[tuple[dict[str, Any], dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    events = [(report, event["code"]) for report, doc in judged for event in doc["events"]]
    wrong = [(r["id"], code) for r, code in events if code != r["catalog"]]
    with capsys.disabled():
        print(f"\nevents: {len(events) - len(wrong)} of {len(events)} are the main one: {wrong}")
    assert len(wrong) <= len(events) * (1 - LEAST_PRECISION_FRAC)


def test_every_event_stands_in_the_log(judged: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    for report, doc in judged:
        lines = report["log"].split("\n")
        for event in doc["events"]:
            for line in event["lines"]:
                # a message may begin on the line and end on the next
                here = "\n".join(lines[line - 1 : line + 1])
                assert event["code"] in {one.entry.code for one in match(here)}, report["id"]


def _as_json_lines(text: str) -> str:
    wrapped = ({"log": f"{line}\n", "time": "2026-01-02T03:04:05Z"} for line in text.split("\n"))
    return "\n".join(map(json.dumps, wrapped))


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "a collector's time": lambda text: re.sub(
        "^", "2026-01-02T03:04:05.6Z stderr F ", text, flags=M
    ),
    "compose": lambda text: re.sub("^", "server-1  | ", text, flags=M),
    "quoted": lambda text: re.sub("^", "> ", text, flags=M),
    "colours": lambda text: re.sub("(^.*$)", "\x1b[32m\\1\x1b[0m", text, flags=M),
    "JSON lines": _as_json_lines,
    "one JSON field": lambda text: json.dumps({"message": text}),
    "within a long log": lambda text: IDLE * 30_000 + text + "\n" + IDLE * 9_000,
}


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=WRAPPINGS.keys())
def test_the_way_a_log_was_collected_does_not_matter(
    judged: list[tuple[dict[str, Any], dict[str, Any]]], wrap: Callable[[str], str]
) -> None:
    said = ("code", "cause_class", "direction", "confidence", "rule")
    for report, doc in judged:
        wrapped = document(diagnose_text(wrap(report["log"])))["verdict"]
        wanted = {name: doc["verdict"][name] for name in said}
        assert {name: wrapped[name] for name in said} == wanted, report["id"]


def test_numbers_that_the_report_names_are_read(
    judged: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """Residuals of leaks, with their sign, whatever the layout."""
    seen = 0
    for report, doc in judged:
        for name, value in report["facts"].items():
            if name.endswith("residual") and report["catalog"] in CATALOG.by_code:
                numbers = [n for event in doc["events"] for n in event["numbers"].items()]
                named = {n for n in numbers if n[0].endswith("residual")}
                # the report names the pool, the message may have one only
                assert value in {n[1] for n in named} or name == "req_residual", report["id"]
                seen += 1
    assert seen >= 10
