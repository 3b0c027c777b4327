"""Nothing to explain."""

from app.diagnose.verdict import Answer, Case, Open, Rule


def _answer(case: Case) -> Answer | None:
    log = case.log
    lines = f"{log.lines:,} line{'s' if log.lines != 1 else ''}"
    running = f", {log.usage.count:,} of them batch lines" if log.usage.count else ""
    waits = log.usage.last is not None and bool(log.usage.last.queued)
    return Answer(
        text=f"No known error in {lines}{running}."
        + (" Requests were waiting on the last batch line." if waits else ""),
        cause_class="unknown",
        confidence="unknown",
        how="no entry and no sign has words of this log",
        open=(
            Open(
                what="whether something is wrong at all",
                settles="the log of every rank up to its end, from the start of the server; a "
                "server that hangs prints nothing until its watchdog fires",
            ),
        ),
    )


RULE = Rule(
    name="nothing-known",
    states="A log without a known line is reported as that, not as healthy.",
    order=99,
    answer=_answer,
)
