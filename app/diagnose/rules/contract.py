"""Errors that no setting causes."""

from app.catalog.catalog import CATALOG
from app.diagnose.verdict import Answer, Case, Rule, count

MISUSE = (
    "logical-host-alloc-unaligned",
    "logical-host-free-unaligned",
    "logical-host-size-unaligned",
    "host-transfer-size-mismatch",
)


def _answer(case: Case) -> Answer | None:
    if case.event is None:
        return None
    if case.name == "pd-decode-kv-full":
        return _estimate(case)
    size, page = case.number("need_size"), case.number("page_size")
    numbers = (
        f" {count(size)} is no multiple of {count(page)}."
        if size is not None and page and size % page
        else ""
    )
    return Answer(
        text=f"A caller inside the server broke the pool's contract.{numbers} No flag and no load "
        "causes it: report it with the traceback; rounding one side up moves the error to the "
        "transfer.",
        cause_class="caller_misuse",
        confidence="certain",
        how="the check is on the argument of the call: " + CATALOG.by_code[case.name].trigger,
    )


def _estimate(case: Case) -> Answer:
    short = ""
    for pool, need, free in (
        ("full", "required_alloc", "available"),
        ("window", "required_swa", "swa_available"),
    ):
        wanted, there = case.number(need), case.number(free)
        if wanted is not None and there is not None and there >= 0 and wanted > there:
            short += f" The {pool} pool lacks {count(wanted - there)} tokens."
    return Answer(
        text="The PD decode side promised KV that it could not get: its estimate and its allocator "
        f"disagree.{short} It is a fault of admission, not of a setting: upgrade.",
        cause_class="admission_bug",
        confidence="certain",
        how="the message is raised after the estimate has passed",
    )


RULE = Rule(
    name="broken-contract",
    states="A check on a caller's argument, or after a passed estimate, fires for a bug and not "
    "for a setting.",
    order=65,
    about=(*MISUSE, "pd-decode-kv-full"),
    answer=_answer,
)
