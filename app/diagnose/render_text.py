"""A diagnosis for a terminal: verdict, evidence, remedies, what is unknown; 88 columns."""

from typing import Any

from app.catalog.render_text import plain, section, wrap
from app.diagnose.document import document
from app.diagnose.judge import Diagnosis
from app.diagnose.verdict import CONFIDENCES


def render(diagnosis: Diagnosis) -> str:
    """Everything an operator needs, in reading order."""
    doc = document(diagnosis)
    blocks = [
        wrap(plain(doc["verdict"]["text"])),
        _judged(doc),
        section("Evidence", [_evidence(one) for one in doc["evidence"]]),
        section("What to do", [*map(_remedy, doc["remedies"], range(1, 99)), *_statuses(doc)]),
        section("Does not help", [_refuted(one) for one in doc["does_not_help"]]),
        section("Unknown", [_unknown(one) for one in doc["unknown"]]),
        section("Found in the log", [_event(one) for one in (*doc["events"], *doc["signs"])]),
        section("Server", _server(doc)),
        section("Also said", [_statement(one) for one in doc["statements"][1:]]),
        *([f"Page: {doc['entry']['href']}"] if doc["entry"] else []),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _judged(doc: dict[str, Any]) -> str:
    verdict = doc["verdict"]
    turn = verdict["direction"]
    parts = [
        ("code", verdict["code"] or "none"),
        ("cause", verdict["cause_class"]),
        ("turn", "-" if turn == "none" else f"{turn} {verdict['flag']}"),
        ("to", "-" if verdict["number"] is None else f"{verdict['number']:g}"),
        ("surety", f"{verdict['confidence']}: {CONFIDENCES[verdict['confidence']]}"),
        ("rule", f"{verdict['rule']}: {plain(verdict['states'])}"),
        ("how", plain(verdict["how"])),
    ]
    return "\n".join(wrap(f"{name:<7}{value}", "  ", 7) for name, value in parts)


def _evidence(one: dict[str, Any]) -> str:
    place = f"line {one['line']:,}: " if one["line"] else ""
    return f"- {place}{one['text']}"


def _remedy(one: dict[str, Any], number: int) -> str:
    turn = "" if one["direction"] == "none" else f", {one['direction']}"
    now = f" Now: {one['now']}." if one["now"] else ""
    more = [
        f" {label}: {plain(one[key])}{'' if one[key].endswith('.') else '.'}"
        for label, key in (("Cost", "cost"), ("Not when", "not_when"), ("Seen", "seen"))
        if one[key]
    ]
    return f"{number}. [{one['status']}{turn}] {plain(one['text'])}{now}{''.join(more)}"


def _statuses(doc: dict[str, Any]) -> list[str]:
    run = any(one["status"] != "unproved" for one in doc["remedies"])
    page = f"; they are on {doc['entry']['href']}" if doc["entry"] else ""
    return [f"What a test ran, it ran for the causes that it names{page}."] if run else []


def _refuted(one: dict[str, Any]) -> str:
    return f"x {plain(one['text'])} {plain(one['proof'])}"


def _unknown(one: dict[str, Any]) -> str:
    place = f"line {one['line']:,}: " if one["line"] else ""
    near = f" Nearest: {', '.join(one['nearest'])}." if one["nearest"] else ""
    return f"- {place}{plain(one['what'])}. Settled by: {plain(one['settles'])}.{near}"


def _event(one: dict[str, Any]) -> str:
    name = one.get("code") or f"({one['name']}) {one['says']}"
    ranks = f", {len(one['ranks'])} ranks" if len(one["ranks"]) > 1 else ""
    when = f" {one['first_seen']}" if one["first_seen"] else ""
    return f"- line {one['lines'][0]:,}{when}: {name}, {one['times']}x{ranks}"


def _server(doc: dict[str, Any]) -> list[str]:
    lines = [f"engine {doc['engine']}, version {doc['version'] or 'not said'}"]
    if doc["flags"]:
        lines.append("flags " + " ".join(f"{name} {value}" for name, value in doc["flags"].items()))
    if doc["startup"]:
        figures = (f"{name} {value:g}" for name, value in doc["startup"].items())
        lines.append("start " + ", ".join(figures))
    log = doc["log"]
    lines.append(
        f"{log['lines']:,} lines, {log['characters']:,} characters, {log['encoding']}"
        + (f", {log['first_time']} to {log['last_time']}" if log["first_time"] else "")
    )
    return [*lines, *log["notes"]]


def _statement(one: dict[str, Any]) -> str:
    return f"- [{one['confidence']}] {one['rule']}: {plain(one['text'])}"
