"""Evictable on paper."""

from app.diagnose.rules.page_rounding import ABOUT
from app.diagnose.verdict import Advice, Answer, Case, Rule, count


def _answer(case: Case) -> Answer | None:
    need, free = case.number("need_tokens"), case.number("available_tokens")
    evictable = case.number("evictable_tokens")
    if need is None or free is None or evictable is None or not free < need <= free + evictable:
        return None
    return Answer(
        text=f"{count(need)} tokens were refused with {count(free)} free and {count(evictable)} "
        "evictable: eviction did not return enough in that step, and admission had counted on "
        "it. It is a fault of admission, not of size. Until a fix, let a chunk fit what is free: "
        f"lower `--chunked-prefill-size` to at most {count(free)}.",
        cause_class="admission_bug",
        confidence="likely",
        flag="--chunked-prefill-size",
        direction="lower",
        number=free,
        how=f"free {count(free)} < need {count(need)} <= free + evictable "
        f"{count(free + evictable)}; the number is what was free",
        advice=(
            Advice(
                text=f"Lower `--chunked-prefill-size` to at most {count(free)}.",
                flag="--chunked-prefill-size",
                direction="lower",
                number=free,
            ),
            Advice(text="Upgrade; report it with the numbers if it is the newest release."),
        ),
    )


RULE = Rule(
    name="unreachable-eviction",
    states="A demand between free and free plus evictable fails only when eviction could not "
    "return what it promised in that step.",
    order=21,
    about=ABOUT,
    answer=_answer,
)
