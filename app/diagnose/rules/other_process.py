"""Someone else holds memory on a card."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

#: share of a card that must be free before the weights; drivers and contexts take the rest
FREE_FRAC = 0.8


def _answer(case: Case) -> Answer | None:
    if case.name == "tp-memory-unbalanced":
        return _unbalanced(case)
    card, need = case.number("card_gib"), case.number("need")
    before = case.log.startup.figures.get("free_before_weights_gb")
    if card is None or need is None or before is None or before >= card * FREE_FRAC:
        return None
    return Answer(
        text=f"Only {count(before)} of {count(card)} GiB were free before the weights were loaded: "
        "another process holds memory on this card. End it; no flag of this server helps.",
        cause_class="other_process",
        confidence="likely",
        how=f"free before weights {count(before)} < {FREE_FRAC:.0%} of the {count(card)} GiB",
        lines=(case.log.startup.lines["free_before_weights_gb"],),
    )


def _unbalanced(case: Case) -> Answer:
    least, local = case.number("least_free_gb"), case.number("local_free_gb")
    numbers = (
        f" The fullest has {count(least)} GB free, this one {count(local)}."
        if least is not None and local is not None
        else ""
    )
    return Answer(
        text=f"The GPUs of the group do not have equal free memory.{numbers} The rank that "
        "complains is a free one: look for another process on the other cards and end it. Cards "
        "of different size look the same. No size flag helps.",
        cause_class="other_process",
        confidence="likely",
        how="least free memory in the group < 90 % of the local one, before any weights",
        advice=(Advice(text="List the processes of every GPU of the group; end the foreign one."),),
        open=(
            Open(
                what="which card is occupied, and by whom",
                settles="`nvidia-smi` on each node, or `Init torch distributed ends` of every rank "
                "with its `avail mem`",
            ),
        ),
    )


RULE = Rule(
    name="other-process",
    states="Memory that is missing before the weights are loaded is held by someone else.",
    order=43,
    about=("tp-memory-unbalanced", "gpu-out-of-memory"),
    answer=_answer,
)
