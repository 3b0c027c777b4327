"""What a try showed: computed from two observations, never written down by hand."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.catalog.entry import STATUSES, Status
from app.catalog.lab import Observation


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict on a remedy under one cause, and why, with the numbers."""

    status: Status
    why: str


def reproduced(code: str, seen: Observation) -> bool:
    """Whether a case shows the error that it was made for."""
    return seen.codes.get(code, 0) > 0


def judge(code: str, before: Observation, after: Observation) -> Outcome:
    """A remedy under one cause.

    `refuted`: the error is still there, or another one in its place. `avoids`: it is gone, because
    less was offered, taken in or run at once. `proved`: it is gone, and all that was offered was
    served as before.
    """
    if reproduced(code, after):
        numbers = ", ".join(f"{name} {value}" for name, value in after.numbers[code].items())
        now, was = after.codes[code], before.codes[code]
        times = "Still fails" if now == was == 1 else f"Still fails, {now:,} of {was:,} times"
        return Outcome("refuted", f"{times}: {numbers}." if numbers else f"{times}.")
    instead = [one for one in after.fatal if one not in before.fatal]
    if instead:
        return Outcome("refuted", f"Another error comes in its place: {', '.join(instead)}.")
    less = _less(before, after)
    if less:
        return Outcome("avoids", f"No longer fails, because {less}.")
    return Outcome("proved", f"The same {after.offered:,} offered, all {after.finished:,} served.")


def best(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that counts where a remedy was tried at several values or under several causes."""
    rank = list(STATUSES)
    return min(outcomes, key=lambda one: rank.index(one.status))


def _less(before: Observation, after: Observation) -> str:
    if after.offered_key != before.offered_key:
        if after.offered < before.offered:
            return f"{after.offered:,} instead of {before.offered:,} are offered"
        if after.offered_tokens < before.offered_tokens:
            less, was = after.offered_tokens, before.offered_tokens
            return f"less is asked for, {less:,} instead of {was:,}"
        return "the same is offered, later"
    if not after.served_all:
        return (
            f"{after.finished:,} of {after.offered:,} are served: "
            f"{after.rejected:,} turned away, {after.aborted:,} aborted"
        )
    if after.short_tokens > before.short_tokens:
        return f"{after.short_tokens - before.short_tokens:,} output tokens are cut off"
    if after.most_allowed < before.most_allowed:
        return f"at most {after.most_allowed:,} may run at once, {before.most_allowed:,} before"
    if after.reserve_scale > before.reserve_scale:
        return (
            f"admission scales its reserve by {after.reserve_scale:g}, "
            f"by {before.reserve_scale:g} before"
        )
    if after.most_at_once < before.most_at_once:
        return f"at most {after.most_at_once} run at once, {before.most_at_once} before"
    return ""
