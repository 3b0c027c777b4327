"""An exception that is not known here ended the server."""

from app.diagnose.verdict import Answer, Case, Rule


def _answer(case: Case) -> Answer | None:
    if case.event is not None or not case.log.strangers:
        return None
    fatal = case.log.strangers_fatal
    first = (fatal or case.log.strangers)[0]
    ended = "A scheduler ended with" if fatal else "There is"
    return Answer(
        text=f"{ended} an exception that is not in the catalog: {first.text}",
        cause_class="unknown",
        confidence="unknown",
        how="no entry and no sign has these words",
        lines=(first.line,),
    )


RULE = Rule(
    name="not-known",
    states="A text that is not known is said to be unknown.",
    order=92,
    answer=_answer,
)
