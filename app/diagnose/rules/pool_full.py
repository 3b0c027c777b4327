"""The KV pool was full."""

from app.diagnose.rules.page_rounding import ABOUT
from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

#: running requests up to which a full pool is a matter of their length
FEW = 4


def _answer(case: Case) -> Answer | None:
    need, free = case.number("need_tokens"), case.number("reclaimable_tokens")
    if free is None and case.number("available_tokens") is not None:
        free = (case.number("available_tokens") or 0) + (case.number("evictable_tokens") or 0)
    if need is None or free is None or need <= free:
        return None
    missing = need - free
    reading = case.log.before(case.event) if case.event else None
    running = reading.running if reading else None
    fits, how_fits = _fits(running, reading.tokens if reading else None, missing)
    held = f" {count(running)} requests were running." if running else ""
    return Answer(
        text=f"The KV pool was full: {count(need)} tokens were asked for, {count(free)} were free "
        f"or evictable, {count(missing)} short.{held} The rest is locked by running requests, or "
        "lost. Take in less: lower `--max-running-requests`"
        f"{f' to about {count(fits)}' if fits else ''}; or raise the pool.",
        cause_class="shortage",
        confidence="likely",
        flag="--max-running-requests",
        direction="lower",
        number=fits,
        how=f"need {count(need)} - (free + evictable) {count(free)} = {count(missing)} tokens "
        f"short{how_fits}",
        advice=_advice(fits),
        open=(
            Open(
                what="whether the pool filled with work or with units that were lost",
                settles="an idle check (`memory leak detected!`) or the idle batch lines of this "
                "server: usage that grows from idle time to idle time is a loss",
            ),
        ),
    )


def _advice(fits: int | None) -> tuple[Advice, ...]:
    return (
        Advice(
            text="Lower `--max-running-requests`" + (f" to about {count(fits)}." if fits else "."),
            flag="--max-running-requests",
            direction="lower",
            number=fits,
        ),
        Advice(
            text="Or raise the pool: `--mem-fraction-static` up, where memory is left for "
            "activations, or an fp8 `--kv-cache-dtype`.",
            flag="--mem-fraction-static",
            direction="raise",
        ),
    )


def _fits(running: int | None, tokens: int | None, missing: float) -> tuple[int | None, str]:
    if not running or not tokens or running <= 1:
        return None, ""
    each = tokens / running
    fewer = max(1, running - max(1, -(-int(missing) // max(1, int(each)))))
    return fewer, (
        f"; {count(tokens)} tokens / {running} requests = {count(round(each))} each, so "
        f"{running - fewer} fewer make room"
    )


RULE = Rule(
    name="pool-full",
    states="A demand above free plus evictable means that running requests hold the pool.",
    order=22,
    about=ABOUT,
    answer=_answer,
)
