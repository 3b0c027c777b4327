"""The thread that writes to storage is gone."""

from app.diagnose.verdict import Answer, Case, Rule


def _answer(case: Case) -> Answer | None:
    return Answer(
        text="The thread that writes prefixes to storage died at its first error and is not "
        "restarted: host slots that wait for it never come back. Restart the server and repair "
        "the storage; no size flag helps.",
        cause_class="lost",
        confidence="likely",
        how="an uncaught exception ends a thread; what it held is not released",
    )


RULE = Rule(
    name="dead-thread",
    states="A helper thread that died does not release what it holds.",
    order=66,
    about=("backup-thread-died",),
    answer=_answer,
)
