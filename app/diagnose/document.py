"""A diagnosis as plain data: what `--json`, REST and the page show. Nothing in it is unmasked."""

from dataclasses import asdict
from typing import Any

from app.catalog.catalog import CATALOG
from app.catalog.document import summary
from app.catalog.entry import Remedy
from app.catalog.match import Number
from app.diagnose.batch import Reading
from app.diagnose.fold import Event
from app.diagnose.judge import Diagnosis, Unknown
from app.diagnose.log import Log
from app.diagnose.mask import mask
from app.diagnose.signs import BY_NAME
from app.diagnose.verdict import Advice

MAX_EVIDENCE = 12


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Everything, in the order in which it is read."""
    log = diagnosis.log
    events = sorted(log.events.items, key=lambda event: event.first.line)
    return {
        "verdict": _verdict(diagnosis),
        "found": diagnosis.found,
        "evidence": evidence(diagnosis),
        "remedies": remedies(diagnosis),
        "does_not_help": _refuted(diagnosis),
        "statements": [asdict(one) for one in diagnosis.statements],
        "unknown": [_unknown(one) for one in diagnosis.unknown],
        "events": [_event(one) for one in events if one.code],
        "events_left_out": dict(log.events.left_out),
        "signs": [_sign(one) for one in events if not one.code],
        "entry": summary(diagnosis.entry) if diagnosis.entry else None,
        **_server(log),
        "usage": usage(diagnosis),
        "log": {
            "lines": log.lines,
            "characters": log.chars,
            "encoding": log.encoding,
            "first_time": log.first_time,
            "last_time": log.last_time,
            "notes": log.notes,
        },
    }


def _verdict(diagnosis: Diagnosis) -> dict[str, Any]:
    answer = diagnosis.answer
    return {
        "text": diagnosis.text,
        "code": diagnosis.event.code if diagnosis.event else None,
        "cause_class": answer.cause_class,
        "flag": answer.flag,
        "direction": answer.direction,
        "number": answer.number,
        "confidence": diagnosis.confidence,
        "how": answer.how,
        "rule": diagnosis.rule.name,
        "states": diagnosis.rule.states,
    }


def _server(log: Log) -> dict[str, Any]:
    after, before = log.version.bounds
    return {
        "engine": log.engine,
        "version": log.version.describe() or None,
        "version_bounds": {
            "exact": log.version.exact,
            "after": after,
            "before": before,
            "modelled": log.version.modelled,
        },
        "flags": dict(sorted(log.startup.flags.items())),
        "startup": dict(log.startup.figures),
    }


def evidence(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Lines that carry the verdict, in order; `line` is None for figures of an earlier line."""
    log, event = diagnosis.log, diagnosis.event
    wanted = {line for one in diagnosis.statements for line in one.lines}
    texts = {**log.kept}
    for one in log.events.items:
        if one is event or one.first.line in wanted:
            texts[one.first.line] = one.first.text
            more = dict(enumerate(one.first.more, one.first.line + 1))
            texts |= more
            wanted |= {one.first.line, *more}
    texts |= {one.line: one.text for one in log.strangers}
    found = [{"line": line, "text": texts[line]} for line in sorted(wanted) if line in texts]
    reading = log.before(event) if event else log.usage.last
    if reading is not None:
        found.insert(0, {"line": None, "text": reading_words(reading, before=event is not None)})
    return found[:MAX_EVIDENCE]


def remedies(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """What to do: the rule's advice with this log's numbers, then the entry's remedies."""
    known = [] if diagnosis.entry is None else list(diagnosis.entry.remedies)
    helps = [one for one in known if one.status != "refuted"]
    flags = diagnosis.log.startup.flags
    items: list[dict[str, Any]] = []
    for advice in diagnosis.answer.advice:
        same = next((one for one in helps if _is_same(one, advice)), None)
        if same is not None:
            helps.remove(same)
        refuted = next((one for one in known if _is_refuted(one, advice)), None)
        items.append(_advised(advice, same, flags, refuted))
    for one in helps:
        if one.direction == "lower" and one.flag and flags.get(one.flag) == "1":
            continue  # there is nothing below
        advice = Advice(text=one.text, flag=one.flag, direction=one.direction)
        items.append(_advised(advice, one, flags))
    return items


def usage(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """Batch lines over time; `t` is the log's clock in seconds, or a count where it has none."""
    found = diagnosis.log.usage
    if not found.count or found.last is None:
        return None
    return {
        "readings": found.count,
        "width_s": found.width_s,
        "has_time": found.last.stamp.at is not None,
        "series": [{"t": one.at, **one.figures} for one in found.series()],
    }


def reading_words(reading: Reading, *, before: bool) -> str:
    """A batch line in words."""
    parts = [
        ("running", reading.running),
        ("queued", reading.queued),
        ("tokens", reading.tokens),
        ("token usage", reading.usage_frac),
        ("window usage", reading.swa_usage_frac),
        ("state usage", reading.mamba_usage_frac),
    ]
    said = ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:.2f}"
        for name, value in parts
        if value is not None
    )
    who = f" of {reading.stamp.rank}" if reading.stamp.rank else ""
    when = f" at {reading.stamp.time}" if reading.stamp.time else ""
    return f"Last batch line{who}{' before it' if before else ''}{when}: {said}"


def _is_same(remedy: Remedy, advice: Advice) -> bool:
    return (
        advice.flag is not None
        and remedy.flag == advice.flag
        and remedy.direction == advice.direction
    )


def _is_refuted(remedy: Remedy, advice: Advice) -> bool:
    return remedy.status == "refuted" and _is_same(remedy, advice)


def _advised(
    advice: Advice, known: Remedy | None, flags: dict[str, str], refuted: Remedy | None = None
) -> dict[str, Any]:
    # A remedy is refuted for the cause that a test ran; the rule speaks of this log's.
    elsewhere = (
        f"for another cause it was run and does not help: {refuted.proof}" if refuted else ""
    )
    return {
        "text": advice.text,
        "flag": advice.flag,
        "direction": advice.direction,
        "number": advice.number,
        "now": flags.get(advice.flag) if advice.flag else None,
        "status": known.status if known else "unproved",
        "proof": known.proof if known else "",
        "cost": known.cost if known else "",
        "not_when": known.not_when if known else elsewhere,
        "seen": known.seen if known else "",
    }


def _refuted(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    known = () if diagnosis.entry is None else diagnosis.entry.remedies
    advised = diagnosis.answer.advice
    return [
        {"text": one.text, "flag": one.flag, "direction": one.direction, "proof": one.proof}
        for one in known
        if one.status == "refuted" and not any(_is_same(one, advice) for advice in advised)
    ]


def _event(event: Event) -> dict[str, Any]:
    entry = CATALOG.by_code[event.name]
    return {
        "code": event.code,
        "title": entry.title,
        "severity": entry.severity,
        **_seen(event),
        "href": entry.href,
        "older_wording": event.first.wording > 0,
    }


def _sign(event: Event) -> dict[str, Any]:
    sign = BY_NAME[event.name]
    return {"name": sign.name, "says": sign.says, "kind": sign.kind, **_seen(event)}


def _seen(event: Event) -> dict[str, Any]:
    return {
        "numbers": {name: _value(value) for name, value in event.numbers.items()},
        "lines": event.lines,
        "ranks": event.ranks,
        "first_seen": event.first.stamp.time,
        "times": event.times,
        "text": event.first.text,
    }


def _value(value: Number) -> Number:
    return mask(value) if isinstance(value, str) else value


def _unknown(one: Unknown) -> dict[str, Any]:
    return {**asdict(one), "nearest": list(one.nearest)}
