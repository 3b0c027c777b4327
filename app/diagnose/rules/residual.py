"""Total minus the parts of a pool."""

from app.diagnose.balance import Balance
from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

UNITS = {"full": "tokens", "swa": "window tokens", "mamba": "state slots"}
ABOUT = ("pool-leak-idle", "swa-pool-leak-busy", "full-pool-leak-busy")


def _answer(case: Case) -> Answer | None:
    if case.event is None or not case.event.balances:
        return None
    balances = case.event.balances
    negative = next((one for one in balances if one.protected < 0), None)
    if negative is not None:
        return _unlocked_twice(negative)
    off = [one for one in balances if one.residual != 0]
    if not off:
        return None
    twice = next((one for one in off if one.residual < 0), None)
    if twice is not None:
        return _twice(twice, case)
    return _lost(next((one for one in off if one.pool != "mamba"), off[0]), balances, case)


def _lost(one: Balance, balances: tuple[Balance, ...], case: Case) -> Answer:
    unit = UNITS.get(one.pool, "units")
    named = "" if len(balances) == 1 else _whole(balances, one)
    pages = _pages(one.residual, case)
    if one.pool == "mamba":
        # A request that waits may own a copied state, which the idle check does not count.
        return Answer(
            text=f"The state pool is short of {count(one.residual)} of {count(one.total)} slots"
            f"{named}. Either a release was forgotten, or a waiting request holds a copied state. "
            "No size flag helps: upgrade.",
            cause_class="lost",
            confidence="likely",
            how=_sum(one),
            open=(
                Open(
                    what="whether a request was waiting with a copied state when the check ran",
                    settles="the batch line before the check: `#queue-req` above 0 means yes",
                ),
            ),
        )
    return Answer(
        text=f"{count(one.residual)} {unit} of {count(one.total)} are lost{pages}{named}. Nobody "
        "holds them and nobody will free them. A release path forgets them; no size flag helps. "
        "Upgrade, or switch off the feature whose path it is.",
        cause_class="lost",
        confidence="certain",
        how=_sum(one),
        advice=(_stay_up(),),
    )


def _twice(one: Balance, case: Case) -> Answer:
    unit = UNITS.get(one.pool, "units")
    pages = _pages(-one.residual, case)
    same = " That is exactly what is free." if -one.residual == one.available else ""
    return Answer(
        text=f"{count(-one.residual)} {unit} are counted twice{pages}: they are in two states at "
        f"once, so two owners may write to the same memory.{same} Answers may be wrong: stop, do "
        "not silence the check. Upgrade, or switch off the feature at fault.",
        cause_class="double_counted",
        confidence="certain",
        how=_sum(one),
    )


def _unlocked_twice(one: Balance) -> Answer:
    return Answer(
        text=f"The protected count is {count(one.protected)}: a lock was released more often than "
        "it was taken, so pages in use can be evicted. Stop, do not silence the check. Two "
        "features that release the same lock must not be combined; upgrade.",
        cause_class="double_counted",
        confidence="certain",
        how=f"protected={one.protected} and a count of locks cannot be below 0; {_sum(one)}",
    )


def _stay_up() -> Advice:
    return Advice(
        text="To stay up until then: SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE=false. The pool "
        "shrinks with each loss, so plan a restart.",
        flag="SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE",
    )


def _whole(balances: tuple[Balance, ...], off: Balance) -> str:
    whole = [one.pool for one in balances if one.residual == 0]
    if not whole:
        return ""
    return f", in the {off.pool} pool; {' and '.join(whole)} add{'s' * (len(whole) == 1)} up"


def _pages(units: int, case: Case) -> str:
    page = case.log.startup.number("--page-size")
    if page is None or page <= 1 or units % int(page):
        return ""
    pages = units // int(page)
    return f" ({pages:,} page{'s' if pages > 1 else ''} of {int(page)})"


def _sum(one: Balance) -> str:
    inside = " + uncached" if one.uncached is not None else ""
    values = [one.available, one.evictable, one.protected, one.session_held]
    values += [one.uncached] if one.uncached is not None else []
    parts = " + ".join(f"({value})" if value < 0 else str(value) for value in values)
    return (
        f"{one.pool}: total - (available + evictable + protected + session_held{inside}) = "
        f"{one.total} - ({parts}) = {one.residual}"
    )


RULE = Rule(
    name="signed-residual",
    states="What a pool's parts do not account for is lost when positive and owned twice when "
    "negative; a negative protected count is a lock released twice.",
    order=10,
    about=ABOUT,
    answer=_answer,
)
