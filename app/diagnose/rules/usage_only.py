"""No error at all: what the batch lines alone show."""

from app.diagnose.batch import STUCK_READINGS
from app.diagnose.verdict import Answer, Case, Open, Rule, count

FULL_FRAC = 0.95


def _answer(case: Case) -> Answer | None:
    if case.event is not None or case.log.strangers_fatal:
        return None
    return _stuck(case) or _saturated(case)


def _stuck(case: Case) -> Answer | None:
    usage, startup = case.log.usage, case.log.startup
    limit = startup.figures.get("max_running_requests")
    if limit is None or limit < 2:
        return None
    for rank, readings in usage.stuck.items():
        last = usage.by_rank.get(rank)
        if last and last.running == limit - 1 and last.queued and readings >= STUCK_READINGS:
            return Answer(
                text=f"Requests wait ({last.queued}) while a rank runs {last.running} of "
                f"{count(limit)}, one below its limit, reading after reading: a slot is counted "
                "twice. Memory is not short. Raise `--max-running-requests` by the number of DP "
                "ranks until a fix.",
                cause_class="admission_bug",
                confidence="likely",
                flag="--max-running-requests",
                direction="raise",
                number=limit + 1,
                how=f"running = limit - 1 = {last.running} with a queue, {readings} readings in a "
                "row",
            )
    return None


def _saturated(case: Case) -> Answer | None:
    last = case.log.usage.last
    if last is None or not last.queued or (last.usage_frac or 0) < FULL_FRAC:
        return None
    vllm = case.log.engine == "vllm"
    flag = "--max-num-seqs" if vllm else "--max-running-requests"
    return Answer(
        text=f"The KV pool is saturated: usage {last.usage_frac:.2f} with "
        f"{count(last.running or 0)} requests running and {count(last.queued)} waiting. "
        f"They hold it by right, it is no leak. Lower `{flag}` or cap output lengths.",
        cause_class="shortage",
        confidence="likely",
        flag=flag,
        direction="lower",
        how=f"usage {last.usage_frac:.2f} >= {FULL_FRAC} with a queue, on the last batch line",
        open=(
            Open(
                what="whether usage falls when the load ends",
                settles="a batch line of an idle moment: usage that stays high then is a leak",
            ),
        ),
    )


RULE = Rule(
    name="usage-without-error",
    states="Without an error, a queue beside running one below the limit is a counting fault, and "
    "a queue beside a full pool is saturation.",
    order=80,
    answer=_answer,
)
