"""Request slots gone while memory is idle."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

LOW_USAGE_FRAC = 0.5


def _answer(case: Case) -> Answer | None:
    free, wanted = case.number("available_size"), case.number("num_reqs")
    reading = case.log.before(case.event) if case.event else None
    usage = reading.usage_frac if reading else None
    numbers = "" if free is None or wanted is None else (
        f" {count(wanted)} rows were wanted and {count(free)} free."
    )  # fmt: skip
    low = usage is not None and usage < LOW_USAGE_FRAC
    said = f" Token usage was {usage:.2f}, so memory is not short." if low else ""
    return Answer(
        text=f"More requests were admitted than there are free rows.{numbers}{said} The gate reads "
        "the same free list, so the two disagree: rows are held where the gate does not look, or "
        "counted twice. Lowering `--max-running-requests` does not help: upgrade, and find who "
        "holds rows.",
        cause_class="admission_bug",
        confidence="certain" if low and numbers else "likely",
        how="the message itself: admission and allocation read one free list"
        + (f"; free {count(free or 0)} < wanted {count(wanted or 0)}" if numbers else "")
        + (f"; token usage {usage:.2f} < {LOW_USAGE_FRAC}" if low else ""),
        advice=(
            Advice(text="Upgrade past sgl-project/sglang#17850 and #23006."),
            Advice(
                text="Compare rows in use with `#running-req`: sessions, beams and PD transfers "
                "hold rows too.",
            ),
        ),
        open=(
            Open(
                what="who holds the other rows",
                settles="the `server_args=` line (pipeline parallel, sessions, disaggregation) and "
                "an idle `req_to_token_pool memory leak detected!`",
            ),
        ),
    )


RULE = Rule(
    name="slots-against-usage",
    states="The admission gate and the row pool read the same free list, so running out of rows "
    "is a fault of counting, the more so while token usage is low.",
    order=30,
    about=("alloc-req-slots-exhausted", "pd-decode-req-slots-full"),
    answer=_answer,
)
