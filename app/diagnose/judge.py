"""From a log to a diagnosis: choose the event, ask the rules, say what is not known."""

from dataclasses import dataclass, field
from functools import cache

from app.catalog.catalog import CATALOG
from app.catalog.entry import SGLANG_VERSION, ErrorEntry
from app.diagnose import rules
from app.diagnose.choose import choose
from app.diagnose.fold import Event
from app.diagnose.log import Log
from app.diagnose.verdict import Answer, Case, Confidence, Rule
from pools.base import discover


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something said about the log, by which rule, and how surely."""

    text: str
    rule: str
    confidence: Confidence
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """What is not known, and what would settle it."""

    what: str
    settles: str
    line: int | None = None
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The whole answer.

    Attributes:
        event: what the verdict explains; None when nothing was recognised.
        entry: its catalog entry, where it has one.
        text: the verdict in words, remarks about version and engine included.
        found: something is wrong with the server, as far as the log tells.
    """

    log: Log
    event: Event | None
    entry: ErrorEntry | None
    answer: Answer
    rule: Rule
    text: str
    confidence: Confidence
    statements: tuple[Statement, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    found: bool = field(default=False)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order they are asked."""
    found: dict[str, Rule] = discover(rules, "RULE")
    return tuple(sorted(found.values(), key=lambda rule: (rule.order, rule.name)))


def judge(log: Log) -> Diagnosis:
    """Explain a log."""
    event, why = choose(log)
    case = Case(log=log, event=event)
    rule, answer = _first_answer(case)
    remarks = _remarks(log)
    confidence: Confidence = answer.confidence
    if confidence == "certain" and log.engine != "sglang":
        confidence = "likely"
    lines = tuple(dict.fromkeys([*(event.lines[:3] if event else ()), *answer.lines]))
    statements = [Statement(text=answer.text, rule=rule.name, confidence=confidence, lines=lines)]
    if why and event is not None:
        said = f"Line {event.first.line:,} is {why}."
        statements.append(Statement(text=said, rule="first-fatal-line", confidence="likely"))
    statements += _ranks(event)
    statements += remarks
    return Diagnosis(
        log=log,
        event=event,
        entry=CATALOG.by_code.get(event.code) if event and event.code else None,
        answer=answer,
        rule=rule,
        text=" ".join([answer.text, *(one.text for one in remarks)]),
        confidence=confidence,
        statements=tuple(statements),
        unknown=tuple(_unknown(log, answer)),
        found=event is not None or rule.name in ("usage-without-error", "not-known"),
    )


def _first_answer(case: Case) -> tuple[Rule, Answer]:
    for rule in all_rules():
        if rule.about and case.name not in rule.about:
            continue
        answer = rule.answer(case)
        if answer is not None:
            return rule, answer
    raise LookupError("no rule answered; the last one answers always")


def _ranks(event: Event | None) -> list[Statement]:
    if event is None or len(event.ranks) < 2:
        return []
    text = f"{len(event.ranks)} ranks printed it ({event.times} lines): one event."
    return [Statement(text=text, rule="one-event-per-time", confidence="likely")]


def _remarks(log: Log) -> list[Statement]:
    if log.engine != "sglang":
        name = {"vllm": "vLLM", "tensorrt-llm": "TensorRT-LLM", "lmcache": "LMCache"}
        text = (
            f"The log is of {name.get(log.engine, 'another engine')}, which is not modelled here; "
            "only a few of its lines are known."
        )
        return [Statement(text=text, rule="engine-marks", confidence="likely")]
    version = log.version
    if version.modelled is not False:
        return []
    lines = tuple(sorted(version.words.values()))[:3]
    if version.exact:
        text = (
            f"The log is of SGLang {version.exact}; the catalog was written from {SGLANG_VERSION}, "
            "so flags and figures may differ."
        )
        return [Statement(text=text, rule="version-said", confidence="certain", lines=lines)]
    text = (
        f"Its words are of a release {version.describe()}; the catalog was written from "
        f"{SGLANG_VERSION}, so flags and figures may differ."
    )
    return [Statement(text=text, rule="version-by-wording", confidence="likely", lines=lines)]


def _unknown(log: Log, answer: Answer) -> list[Unknown]:
    items = [Unknown(what=one.what, settles=one.settles) for one in answer.open]
    for one in log.strangers:
        near = tuple(entry.code for entry in CATALOG.nearest(one.text))
        times = f" ({one.times} times)" if one.times > 1 else ""
        items.append(
            Unknown(
                what=f"{one.text}{times}",
                settles="its traceback, in the upstream tracker; the catalog does not know it",
                line=one.line,
                nearest=near,
            )
        )
    if log.strangers_left_out:
        items.append(
            Unknown(
                what=f"{log.strangers_left_out:,} more lines with exceptions that are not known",
                settles="nothing: only the first wordings are listed",
            )
        )
    if not log.version.exact and log.engine == "sglang":
        bounded = log.version.describe()
        items.append(
            Unknown(
                what="the SGLang release" + (f" (by its words {bounded})" if bounded else ""),
                settles="the output of `pip show sglang`, or the image's tag",
            )
        )
    return items
