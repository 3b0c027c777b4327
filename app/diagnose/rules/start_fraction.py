"""No room for the pool at start: raise the static share."""

import math

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

#: above this share a start leaves too little for activations to be likely to work
HIGHEST_FRAC = 0.95


def _answer(case: Case) -> Answer | None:
    figures = case.log.startup.figures
    after, weights = figures.get("free_after_weights_gb"), figures.get("weights_gb")
    before = figures.get("free_before_weights_gb")
    if before is None and after is not None and weights is not None:
        before = after + weights
    now = case.number("mem_fraction_static") or case.log.startup.number("--mem-fraction-static")
    current = f" (now {now:g})" if now else ""
    if before is None or after is None or not 0 < after <= before:
        return _without_figures(case.number("suggested"), current)
    return _with_figures(case, before, after, current)


def _without_figures(suggested: float | None, current: str) -> Answer:
    return Answer(
        text="Nothing is left for the KV pool at start: the weights use up the share that "
        f"`--mem-fraction-static`{current} allows. Raise it (at run time the same flag is turned "
        "the other way), or load less per GPU.",
        cause_class="startup_fraction_low",
        confidence="certain" if suggested is None else "likely",
        flag="--mem-fraction-static",
        direction="raise",
        number=suggested,
        how="the message is raised when free after weights - free before x (1 - fraction) is at "
        "most 0; only a higher fraction raises that",
        open=(
            Open(
                what="how far to raise it, and whether another process holds memory",
                settles="the lines `Load weight begin. avail mem=` and `Load weight end.`",
            ),
        ),
    )


def _with_figures(case: Case, before: float, after: float, current: str) -> Answer:
    lines = case.log.startup.lines
    least = 1 - after / before
    number = case.number("suggested") or math.ceil(least * 100 + 1) / 100
    fits = number <= HIGHEST_FRAC
    advised = f"try {number:.2f} and more." if fits else "which leaves nothing for activations."
    return Answer(
        text=f"Nothing is left for the KV pool at start: weights took {count(before - after)} of "
        f"{count(before)} GB. `--mem-fraction-static`{current} must be above {least:.3f}: "
        f"{advised} If that ends in a CUDA out of memory, no value fits both: smaller weights or "
        "draft, or more GPUs.",
        cause_class="startup_fraction_low",
        confidence="likely",
        flag="--mem-fraction-static",
        direction="raise",
        number=number if fits else None,
        how=f"1 - free after weights / free before = 1 - {after:g} / {before:g} = {least:.3f}; a "
        "draft model, state slots and feature pools come on top",
        advice=(
            Advice(
                text=f"Raise `--mem-fraction-static` above {least:.3f}.",
                flag="--mem-fraction-static",
                direction="raise",
                number=number if fits else None,
            ),
        ),
        lines=tuple(
            lines[name] for name in ("free_before_weights_gb", "weights_gb") if name in lines
        ),
    )


RULE = Rule(
    name="raise-at-start",
    states="At start `--mem-fraction-static` is raised, at run time it is lowered: the pool is "
    "what the fraction leaves after the weights.",
    order=40,
    about=("not-enough-memory-kv", "weights-leave-no-kv-memory"),
    answer=_answer,
)
