"""Whether a deliberate difference is there, and is the only one: on our side and on SGLang's."""

from tests.conformance.differences import Deliberate
from tests.conformance.walk import Outcome, Side, attempt, compare


def our_problem(row: Deliberate) -> str | None:
    """What is wrong with a row on our side alone; None when it holds. Needs no SGLang."""
    strict, strict_saw = _answer(row, row.pair.ours(row.setup("strict")))
    upstream, upstream_saw = _answer(row, row.pair.ours(row.setup("upstream")))
    if row.refused is not None and not isinstance(strict.error, row.refused):
        return f"strict checks gave {strict} instead of {row.refused.__name__}"
    if row.refused is None and strict.error is not None:
        return f"strict checks raised {strict}"
    if row.refused is not None and strict_saw[0] != strict_saw[1]:
        return f"strict checks refused, but changed {strict_saw[0]} to {strict_saw[1]}"
    alike = strict.is_as(upstream) and strict_saw == upstream_saw
    if row.both_modes and not alike:
        return f"the modes differ: {strict} under strict checks, {upstream} under upstream checks"
    if not row.both_modes and alike:
        return f"both modes gave {strict}"
    return None


def their_problem(row: Deliberate) -> str | None:
    """What is wrong with a row beside SGLang; None when it holds."""
    setup = row.setup("upstream")
    ours, theirs = row.pair.ours(setup), row.pair.upstream(setup)
    for operation in row.before:
        _, unlike = compare(ours, theirs, operation)
        if unlike is not None:
            return f"already {operation}: ours {unlike[0]}, SGLang {unlike[1]}"
    _, unlike = compare(ours, theirs, row.call)
    if row.both_modes:
        return None if unlike is not None else "SGLang answers as ours does: the row is stale"
    return None if unlike is None else f"ours {unlike[0]}, SGLang {unlike[1]}"


def _answer(row: Deliberate, side: Side) -> tuple[Outcome, tuple[object, object]]:
    for operation in row.before:
        led = attempt(side, operation)
        if led.error is not None:
            raise AssertionError(f"{row.row}: {operation} raised {led}")
    before = side.look()
    outcome = attempt(side, row.call)
    return outcome, (before, side.look())
