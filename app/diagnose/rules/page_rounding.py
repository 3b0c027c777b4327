"""Enough free tokens, and still no allocation."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

ABOUT = ("kv-decode-oom", "kv-prefill-oom", "kv-token-alloc-oom")


def _answer(case: Case) -> Answer | None:
    need = case.number("need_tokens")
    free = case.number("available_tokens")
    if free is None:
        free = case.number("reclaimable_tokens")
    if need is None or free is None or need > free or case.name == "kv-token-alloc-oom":
        return None
    page = case.log.startup.number("--page-size")
    if page == 1:
        return None
    pages = ""
    settles: tuple[Open, ...] = ()
    if page and page > 1:
        pages = f" ({count(free // page)} pages of {count(page)})"
    else:
        settles = (Open(what="the page size", settles="the `server_args=` line, for `page_size`"),)
    who = "each request at a page boundary" if case.name == "kv-decode-oom" else "each new sequence"
    return Answer(
        text=f"{count(need)} tokens were refused although {count(free)} were free{pages}: pages "
        f"are handed out, not tokens, and {who} needs a whole one. Admission counted tokens. "
        "Memory is not short: upgrade; until then a smaller page makes it rarer.",
        cause_class="page_rounding",
        confidence="likely",
        how=f"need {count(need)} <= free {count(free)} and the allocation failed, so fewer pages "
        "were free than sequences that needed one",
        advice=(
            Advice(text="Upgrade: admission has counted pages since the merged fixes."),
            Advice(text="Until then lower `--page-size`.", flag="--page-size", direction="lower"),
            Advice(
                text="Or run fewer requests at once.",
                flag="--max-running-requests",
                direction="lower",
            ),
        ),
        open=settles,
    )


RULE = Rule(
    name="page-rounding",
    states="A demand that is at most the free tokens and still fails needs more pages than are "
    "free, since every sequence takes whole pages.",
    order=20,
    about=ABOUT,
    answer=_answer,
)
