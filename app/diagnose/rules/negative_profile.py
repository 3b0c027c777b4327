"""A profiled capacity at or below zero."""

from app.diagnose.verdict import Advice, Answer, Case, Rule, count


def _answer(case: Case) -> Answer | None:
    profiled, asked = case.number("profiled"), case.number("asked")
    if profiled is None or asked is None:
        return None
    if profiled > 0:
        return Answer(
            text=f"`--max-total-tokens` asks for {count(asked)} tokens and {count(profiled)} fit; "
            "the smaller is used. For more, raise `--mem-fraction-static`; the flag itself only "
            "lowers.",
            cause_class="startup_fraction_low",
            confidence="likely",
            flag="--mem-fraction-static",
            direction="raise",
            how=f"asked {count(asked)} > profiled {count(profiled)}",
        )
    return _no_pool(case, profiled)


def _no_pool(case: Case, profiled: float) -> Answer:
    weights = case.log.startup.figures.get("weights_gb")
    took = f" Weights took {count(weights)} GB." if weights else ""
    replicas = bool(case.event and any("DP" in rank for rank in case.event.ranks))
    load = "fewer replicas (`--dp-size`)" if replicas else "a higher `--mem-fraction-static`"
    return Answer(
        text=f"The profiled capacity is {count(profiled)} tokens: weights exceed the static share, "
        f"so there is no pool and the server cannot start.{took} Load less per GPU: {load}, more "
        "GPUs, or quantised weights. `--max-total-tokens` cannot help.",
        cause_class="startup_fraction_low",
        confidence="likely",
        flag="--dp-size" if replicas else "--mem-fraction-static",
        direction="lower" if replicas else "raise",
        how=f"profiled {count(profiled)} <= 0: free after weights - free before x (1 - fraction) "
        "is not positive",
        advice=(
            Advice(text="More GPUs per replica.", flag="--tp-size", direction="raise"),
            Advice(text="Quantised weights, or no draft model."),
        ),
    )


RULE = Rule(
    name="negative-profile",
    states="A profiled capacity that is not positive means that the weights exceed the static "
    "share; the refusal that follows is the same fact.",
    order=41,
    about=("max-total-tokens-above-profile",),
    answer=_answer,
)
