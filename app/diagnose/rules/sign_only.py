"""A recognised line that is no catalogued error, for which no rule has more to say."""

from app.diagnose.signs import BY_NAME
from app.diagnose.verdict import Answer, Case, Open, Rule

_SETTLES = {
    "child-died": "the traceback of the process that died: the log of every rank, from before this "
    "line",
    "health-check-failed": "the first fatal line before it, on any rank",
    "process-killed": "the kernel's log (`dmesg`), for an out-of-memory kill",
    "host-out-of-memory": "host memory of each process over time, and the container's limit",
}


def _answer(case: Case) -> Answer | None:
    sign = BY_NAME.get(case.name)
    if sign is None:
        return None
    return Answer(
        text=f"{sign.says[0].upper()}{sign.says[1:]}. The log does not show why.",
        cause_class="unknown",
        confidence="unknown",
        how="the line alone; it says what ended, not what caused it",
        open=(
            Open(
                what="the cause",
                settles=_SETTLES.get(case.name, "the lines before it, on every rank"),
            ),
        ),
    )


RULE = Rule(
    name="sign-only",
    states="A line that reports an end says nothing of its cause.",
    order=91,
    answer=_answer,
)
