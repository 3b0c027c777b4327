"""Rows missing while idle."""

from app.diagnose.verdict import Answer, Case, Rule, count


def _answer(case: Case) -> Answer | None:
    total, free = case.number("total_size"), case.number("available_size")
    if total is None or free is None:
        return None
    held = case.number("session_held") or 0
    lost = total - free - held
    if lost == 0:
        return None
    tokens = case.log.find("pool-leak-idle")
    with_them = ""
    if tokens is not None and tokens.balances:
        with_them = (
            f" The token pool misses {count(tokens.balances[0].residual)} at the same time: a lost "
            "request takes its tokens with it, so this is one loss."
        )
    if lost < 0:
        return Answer(
            text=f"{count(-lost)} request slots are free twice: a row was released a second time.",
            cause_class="double_counted",
            confidence="certain",
            how=f"total {count(total)} - free {count(free)} - sessions {count(held)} = {lost:g}",
        )
    # On PD decode the rows for transfers are compared but not printed.
    exact = case.log.startup.flags.get("--disaggregation-mode") != "decode"
    return Answer(
        text=f"{count(lost)} of {count(total)} request slots are lost: a request ended without "
        f"giving its row back.{with_them} No size flag helps; upgrade.",
        cause_class="lost",
        confidence="certain" if exact else "likely",
        how=f"total {count(total)} - free {count(free)} - sessions {count(held)} = {lost:g}",
        lines=tuple(tokens.lines[:1]) if tokens is not None else (),
    )


RULE = Rule(
    name="lost-rows",
    states="While idle every row is free or held by a session; what is missing is lost, and the "
    "tokens missing beside it belong to the same request.",
    order=11,
    about=("req-pool-leak-idle",),
    answer=_answer,
)
