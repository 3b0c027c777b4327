"""Which of the caps on running requests binds."""

from app.diagnose.verdict import Advice, Answer, Case, Rule, count


def _answer(case: Case) -> Answer | None:
    effective = case.number("effective")
    if effective is None:
        return None
    asked = case.number("asked")
    slots, each = case.number("slots"), case.number("slots_per_request")
    if slots is not None and each is not None:
        return _states(f"{count(slots)} state slots / {count(each)} per request", effective, asked)
    tokens = case.log.startup.figures.get("max_total_num_tokens")
    if tokens is None:
        return None
    if effective < tokens // 2:
        return _states(
            f"half the token capacity is {count(tokens // 2)}, far above, so the third cap binds",
            effective,
            asked,
        )
    return Answer(
        text=f"{count(effective)} requests can run: half the token capacity of {count(tokens)}. To "
        "have more, raise the token pool; asking for more requests changes nothing.",
        cause_class="shortage",
        confidence="certain",
        flag="--mem-fraction-static",
        direction="raise",
        how=f"min(asked, {count(tokens)} // 2) = {count(effective)}",
        lines=(case.log.startup.lines["max_total_num_tokens"],),
    )


def _states(why: str, effective: float, asked: float | None) -> Answer:
    of = f" of {count(asked)} asked for" if asked else ""
    return Answer(
        text=f"{count(effective)} requests can run{of}, and token memory is not the reason: the "
        "state slots of the hybrid model bind. Raise `--max-mamba-cache-size` (or "
        "`--mamba-full-memory-ratio`); asking for more requests changes nothing.",
        cause_class="side_pool_short",
        confidence="certain",
        flag="--max-mamba-cache-size",
        direction="raise",
        how=f"rows = min(asked / DP, tokens // 2, state slots / slots per request) = "
        f"{count(effective)}; {why}",
        advice=(
            Advice(
                text="Raise `--max-mamba-cache-size`, in proportion to the requests wanted.",
                flag="--max-mamba-cache-size",
                direction="raise",
            ),
        ),
    )


RULE = Rule(
    name="binding-cap",
    states="Rows are the smallest of the request, half the token capacity and the state slots per "
    "request; what is below the first two is set by the third.",
    order=42,
    about=("max-running-requests-reduced", "max-running-requests-mamba-cap"),
    answer=_answer,
)
