"""A watchdog, and a pool that could have been emptied."""

from app.diagnose.balance import Balance
from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

#: share of the pool up to which free is tiny, and from which evictable is plenty
TINY_FRAC, PLENTY_FRAC = 0.02, 0.25


def _answer(case: Case) -> Answer | None:
    dump = case.log.find("pool-dump")
    one = next((one for one in dump.balances if one.total > 0), None) if dump else None
    lines = tuple(dump.lines[:1]) if dump else ()
    if one is None:
        return Answer(
            text="The scheduler made no step for the watchdog's time and was ended. The log does "
            "not show whether ranks waited for each other or a step was merely slow.",
            cause_class="unknown",
            confidence="unknown",
            how="the watchdog line alone",
            open=(
                Open(
                    what="whether it is a hang of ranks or a full pool",
                    settles="the pool dump beside the watchdog line: `[full] total=…, "
                    "available=…, evictable=…`",
                ),
            ),
        )
    if one.available <= one.total * TINY_FRAC and one.evictable >= one.total * PLENTY_FRAC:
        return _hang(one, lines)
    if one.protected >= one.total * (1 - PLENTY_FRAC):
        return Answer(
            text=f"The pool was saturated when the watchdog fired: {count(one.protected)} of "
            f"{count(one.total)} tokens are locked by running requests. Take in less.",
            cause_class="shortage",
            confidence="likely",
            flag="--max-running-requests",
            direction="lower",
            how=f"protected {count(one.protected)} of total {count(one.total)}",
            lines=lines,
        )
    return Answer(
        text="The scheduler made no step for the watchdog's time although the pool had room "
        f"({count(one.available)} free, {count(one.evictable)} evictable of {count(one.total)}).",
        cause_class="rank_hang",
        confidence="likely",
        how=_in_flight(one),
        lines=lines,
    )


def _hang(one: Balance, lines: tuple[int, ...]) -> Answer:
    return Answer(
        text=f"The ranks waited for each other: {count(one.available)} of {count(one.total)} "
        f"tokens were free and {count(one.evictable)} evictable, so memory was there to be taken "
        "and no step came to it. It is a hang, not a shortage, most often in the host tier's "
        "bookkeeping: upgrade, or run without `--enable-hierarchical-cache`.",
        cause_class="rank_hang",
        confidence="likely",
        flag="--enable-hierarchical-cache",
        how=_in_flight(one),
        advice=(
            Advice(text="Upgrade past sgl-project/sglang#26923 and #27489."),
            Advice(text="Until then leave the host tier off.", flag="--enable-hierarchical-cache"),
        ),
        open=(
            Open(
                what="in which call the ranks wait",
                settles="a stack dump of every rank (`py-spy dump`), beside the watchdog line",
            ),
        ),
        lines=lines,
    )


def _in_flight(one: Balance) -> str:
    rest = (
        f"; the residual of {count(one.residual)} is the running request, since this dump prints "
        "uncached=0 always"
        if one.residual > 0
        else ""
    )
    return (
        f"available {count(one.available)}, evictable {count(one.evictable)}, protected "
        f"{count(one.protected)} of {count(one.total)}{rest}"
    )


RULE = Rule(
    name="hang-against-shortage",
    states="A watchdog with little free and much evictable is a hang of ranks; with nearly all "
    "protected it is saturation.",
    order=60,
    about=("watchdog-timeout", "collective-timeout"),
    answer=_answer,
)
