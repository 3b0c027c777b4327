"""A catalogued error for which no rule has more to say than its entry."""

from app.catalog.catalog import CATALOG
from app.diagnose.verdict import Answer, Case, Open, Rule


def _answer(case: Case) -> Answer | None:
    entry = CATALOG.by_code.get(case.name)
    if entry is None:
        return None
    helps = [one for one in entry.remedies if one.status != "refuted" and one.direction != "none"]
    first = helps[0] if helps else None
    return Answer(
        text=entry.verdict,
        cause_class="unknown",
        confidence="likely",
        flag=first.flag if first else None,
        direction=first.direction if first else "none",
        how="the message is in the catalog; its numbers do not decide between its causes",
        open=(
            Open(
                what="which of the causes on its page it is",
                settles="the situations listed on the entry's page",
            ),
        ),
    )


RULE = Rule(
    name="entry-only",
    states="A message that is in the catalog has the meaning that its entry gives.",
    order=90,
    answer=_answer,
)
