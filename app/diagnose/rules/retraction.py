"""Requests pushed back: normal, too often, too long, or never taken up again."""

from app.diagnose.fold import Event
from app.diagnose.log import Log
from app.diagnose.rules.pool_full import FEW
from app.diagnose.verdict import Advice, Answer, Case, Rule, count

FULL_FRAC = 0.95
#: about one retraction in this time is normal
NORMAL_EVERY_S = 60.0


def _answer(case: Case) -> Answer | None:
    if case.event is None:
        return None
    log, event = case.log, case.event
    last = log.usage.last
    if last is not None and last.running == 0 and (last.retracted or 0) > 0:
        return _never_resumed(last.retracted or 0)
    reading = log.before(event)
    full = reading is not None and (reading.usage_frac or 0) >= FULL_FRAC
    if reading is not None and full and reading.running and reading.running <= FEW:
        return _too_long(reading.running, reading.tokens, reading.usage_frac or 0)
    return _rate(event, log)


def _never_resumed(retracted: int) -> Answer:
    return Answer(
        text=f"{retracted} request was retracted and never taken up again: nothing runs, and it "
        "still waits. On a PD decode server it waits for a transfer that is already done. "
        "Upgrade; until then keep more in reserve so that nothing is retracted.",
        cause_class="admission_bug",
        confidence="likely",
        how="the last batch line has #running-req: 0 and #retracted-req above 0",
        advice=(
            Advice(
                text="Raise `--num-reserved-decode-tokens` (SGLANG_NUM_RESERVED_DECODE_TOKENS "
                "before) towards the longest output.",
                flag="--num-reserved-decode-tokens",
                direction="raise",
            ),
        ),
    )


def _too_long(running: int, tokens: int | None, usage: float) -> Answer:
    each = f", about {count(round(tokens / running))} tokens each" if tokens else ""
    return Answer(
        text=f"{running} requests fill the KV pool{each}: a matter of length, not of concurrency. "
        "Cap `max_new_tokens`; the retracted request is computed again from its start.",
        cause_class="shortage",
        confidence="likely",
        flag="max_new_tokens",
        direction="lower",
        how=f"usage {usage:.2f} with {running} running"
        + (f"; {count(tokens)} / {running} tokens" if tokens else ""),
        advice=(
            Advice(text="Cap `max_new_tokens`.", flag="max_new_tokens", direction="lower"),
            Advice(
                text="Let fewer such requests in: the sum of their full contexts must fit.",
                flag="--max-running-requests",
                direction="lower",
            ),
        ),
    )


def _rate(event: Event, log: Log) -> Answer:
    events = log.events.by_name[event.name]
    times, more = len(events), event.name in log.events.left_out
    first, last = events[0].first.stamp.at, events[-1].first.stamp.at
    span = last - first if first is not None and last is not None else None
    every = span / (times - 1) if span is not None and times > 1 else None
    often = every is not None and every < NORMAL_EVERY_S
    at_least = " more than" if more else ""
    pace = f"{at_least} {times:,} times, every {every:.0f} s" if every is not None else ""
    return Answer(
        text=f"The next decode step did not fit, so requests were pushed back{pace}. Nothing "
        "failed; they are computed again. "
        + (
            "That is often: raise `--schedule-conservativeness`, to 1.3 for example."
            if often
            else "About once a minute is normal; if it repeats, raise "
            "`--schedule-conservativeness`, to 1.3 for example."
        ),
        cause_class="recovered",
        confidence="likely",
        flag="--schedule-conservativeness",
        direction="raise",
        number=1.3,
        how="one event per time stamp, however many ranks print it"
        + (f"; {span:.0f} s / {times - 1} = {every:.0f} s" if every is not None and span else "")
        + "; 1.3 is the usual first step, no formula",
    )


RULE = Rule(
    name="retraction",
    states="A retraction is recovery; a full pool with a few requests is their length; a retracted "
    "request that is never resumed is a fault.",
    order=61,
    about=("retract-kv-pool-full",),
    answer=_answer,
)
