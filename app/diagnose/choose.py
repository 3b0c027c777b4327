"""Which event the verdict is about: the first fatal one, not what followed from it."""

from app.catalog.catalog import CATALOG
from app.diagnose.fold import Event
from app.diagnose.log import Log
from app.diagnose.signs import BY_NAME

#: a consequence may be printed before its cause within this time
SAME_FAILURE_S = 10.0
#: signs that a process is gone
ENDS = ("child-died", "process-killed")

FATAL, ERROR, WARNING, CONSEQUENCE, HINT = range(5)


def choose(log: Log) -> tuple[Event | None, str]:
    """The event to explain, and why this one; None when nothing was recognised."""
    events = log.events.items
    if not events:
        return None, ""
    ranked = [(weight(event), event) for event in events]
    worst = min(rank for rank, _ in ranked)
    among = [event for rank, event in ranked if rank == worst]
    if worst == HINT:
        return None, ""
    if worst == FATAL:
        first = _one_loss(log, min(among, key=lambda event: event.first.line))
        return first, _why_fatal(first, events)
    if not _explains(log, among):
        if log.strangers_fatal:
            return None, ""  # an unknown exception ended it: what went before was survived
        ended = [event for event in events if event.name in ENDS]
        if ended:
            return ended[0], "the end; what went before was survived, and its cause is not shown"
    if worst == WARNING:
        return _warning(log, among)
    return among[0], "nothing fatal was recognised; this is the first error"


def weight(event: Event) -> int:
    """How bad it is, 0 worst."""
    if event.code is None:
        return {"fatal": FATAL, "consequence": CONSEQUENCE, "hint": HINT}[BY_NAME[event.name].kind]
    if event.code == "max-total-tokens-above-profile":
        profiled = event.numbers.get("profiled")
        return FATAL if isinstance(profiled, int) and profiled <= 0 else WARNING
    return {"critical": FATAL, "error": ERROR, "warning": WARNING}[
        CATALOG.by_code[event.code].severity
    ]


def _one_loss(log: Log, first: Event) -> Event:
    # One lost request shows in both pools, and the token pool is checked first.
    rows = log.find("req-pool-leak-idle")
    if first.name != "pool-leak-idle" or rows is None:
        return first
    a, b = first.first.stamp.at, rows.first.stamp.at
    together = a is None or b is None or abs(a - b) <= SAME_FAILURE_S
    near = abs(rows.first.line - first.first.line) <= 100
    return rows if together and near else first


def _explains(log: Log, among: list[Event]) -> bool:
    # A full feature pool sends requests down the path on which handing over then fails.
    return log.find("ipc-handle-failed") is not None and any(
        event.code == "mm-ipc-pool-full" for event in among
    )


def _warning(log: Log, among: list[Event]) -> tuple[Event, str]:
    running = [event for event in among if CATALOG.by_code[event.name].phase == "runtime"]
    chosen = (running or among)[0]
    why = "nothing fatal was recognised; this is the first warning"
    return chosen, why + (" of the running server" if running and len(running) < len(among) else "")


def _why_fatal(first: Event, events: list[Event]) -> str:
    if first.name == "req-pool-leak-idle":
        return "the first fatal line; a lost row and its tokens are one loss"
    earlier = [one for one in events if one.first.line < first.first.line]
    if any(weight(one) == CONSEQUENCE for one in earlier):
        return "the first fatal line; a line that reports the end was printed before its cause"
    later = [one for one in events if one is not first and weight(one) in (FATAL, CONSEQUENCE)]
    return "the first fatal line; what follows it is a consequence" if later else "the fatal line"
