"""Runs the catalog's own advice: each cause is reproduced, each remedy is tried on it."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.catalog.cause import Cause, Try
from app.catalog.entry import ErrorEntry, Remedy
from app.catalog.lab import Lab, LabError, Observation
from app.catalog.outcome import Outcome, best, judge, reproduced
from app.catalog.proofs import causes_of


@dataclass(frozen=True, slots=True)
class TryResult:
    """A remedy under one cause; `after` is of the value with the best outcome."""

    remedy: str
    outcome: Outcome
    after: Observation
    values: int


@dataclass(frozen=True, slots=True)
class CauseResult:
    """A cause that was run, and the remedies that were tried on it."""

    cause: Cause
    reproduced: bool
    before: Observation
    tries: tuple[TryResult, ...]


@dataclass(frozen=True, slots=True)
class EntryResult:
    """An error whose causes were run; `failures` says what is not as the entry claims."""

    entry: ErrorEntry
    causes: tuple[CauseResult, ...]
    failures: tuple[str, ...]

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The outcome of each remedy that was tried, the best one over its causes."""
        seen: dict[str, list[Outcome]] = {}
        for cause in self.causes:
            for one in cause.tries:
                seen.setdefault(one.remedy, []).append(one.outcome)
        return {remedy: best(outcomes) for remedy, outcomes in seen.items()}


def prove_entry(lab: Lab, entry: ErrorEntry) -> EntryResult:
    """Reproduce every cause of an error and try every remedy that has a try."""
    causes: list[CauseResult] = []
    failures: list[str] = []
    for cause in causes_of(entry.code):
        try:
            result = prove_cause(lab, entry.code, cause)
        except LabError as error:
            failures.append(f"{cause.name}: {error}")
            continue
        causes.append(result)
        if not result.reproduced:
            seen = ", ".join(result.before.codes) or "nothing"
            failures.append(f"{cause.name}: does not reproduce, the lab saw {seen}")
    found = EntryResult(entry, tuple(causes), ())
    failures += _differences(entry, found.outcomes)
    return EntryResult(entry, found.causes, tuple(failures))


def prove_cause(lab: Lab, code: str, cause: Cause) -> CauseResult:
    """One cause, and every try on it unless it does not reproduce.

    Raises:
        LabError: a case that cannot be carried out.
    """
    before = cause.reproduce(lab, code)
    if not reproduced(code, before):
        return CauseResult(cause, False, before, ())
    tries = tuple(try_remedy(lab, code, cause, one, before) for one in cause.tries)
    return CauseResult(cause, True, before, tries)


def try_remedy(lab: Lab, code: str, cause: Cause, one: Try, before: Observation) -> TryResult:
    """The same cause and the same offered requests, with the remedy taken.

    Raises:
        LabError: a case that cannot be carried out.
    """
    runs = [lab.run(case, code) for case in one.cases(cause.case, before)]
    judged = [(judge(code, before, after), after) for after in runs]
    outcome = best(verdict for verdict, _ in judged)
    after = next(seen for verdict, seen in judged if verdict is outcome)
    return TryResult(one.remedy, outcome, after, len(runs))


def _differences(entry: ErrorEntry, outcomes: dict[str, Outcome]) -> Iterator[str]:
    """Where entry and run disagree."""
    remedies: dict[str, Remedy] = {one.key: one for one in entry.remedies if one.key}
    for key, outcome in outcomes.items():
        if key not in remedies:
            yield f"remedy {key!r} is tried but the entry has none by that key"
        elif remedies[key].status != outcome.status:
            yield (
                f"remedy {key!r} says {remedies[key].status}, the run says {outcome.status}: "
                f"{outcome.why}"
            )
    for key, remedy in remedies.items():
        if remedy.status in ("proved", "avoids") and key not in outcomes:
            yield f"remedy {key!r} says {remedy.status} and has not run"
