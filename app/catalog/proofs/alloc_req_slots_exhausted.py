"""Rows that the gate does not see: held by sessions, lost, or promised twice."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import Case, Observation, ServerCase
from app.catalog.requests import at_once, every

CODE = "alloc-req-slots-exhausted"
SESSIONS, RAISED = 40, 104
#: a leak of one row in 12 requests uses up 104 rows within these
LONG_RUN = 1_400

_SESSIONS = ServerCase(
    offered=at_once(12, prompt=100, output=20),
    conditions=(("gate-counts-flag", {}), ("sessions-hold-rows", {"count": SESSIONS})),
)
_LEAK = ServerCase(
    offered=at_once(LONG_RUN, prompt=20, output=2),
    conditions=(("gate-counts-flag", {}), ("rows-leak", {"every": 12})),
)
_TWICE = ServerCase(
    offered=at_once(80, prompt=100, output=20),
    conditions=(("gate-per-micro-batch", {"batches": 2}),),
)
_CHUNK = ServerCase(
    offered=(
        *at_once(7, prompt=100, output=400),
        *every(0, 1, prompt=1_900, output=20, first=7, start_ms=100),
        *every(0, 4, prompt=100, output=20, first=8, start_ms=101),
    ),
    conditions=(("gate-counts-chunk-as-free", {}),),
).flags(max_running_requests=8, chunked_prefill_size=512)


def _at_printed_number(case: Case, before: Observation) -> Case:
    if not isinstance(case, ServerCase):
        raise TypeError("made for a ServerCase")
    return case.flags(max_running_requests=max(1, int(before.numbers[CODE]["available_size"])))


def _at(*limits: int) -> Try:
    return Try(
        "lower-max-running-requests",
        server(lambda case: tuple(case.flags(max_running_requests=one) for one in limits)),
    )


_RAISE = Try("raise-max-running-requests", server(lambda c: c.flags(max_running_requests=RAISED)))
_PRINTED = Try("set-to-printed-number", _at_printed_number)
_CONTEXT = Try(
    "raise-context-length",
    server(lambda case: tuple(case.flags(context_length=one) for one in (4_096, 8_192, 32_768))),
)
_FEWER_LONGER = Try(
    "fewer-requests-longer-context",
    server(lambda case: case.flags(max_running_requests=12, context_length=4_096)),
)
_SEND_LESS = Try("send-less", server(lambda case: case.flags(max_queued_requests=8)))

CAUSES = (
    Cause(
        name="rows-held-by-sessions",
        title="Sessions hold rows that the gate does not count",
        setting="48 rows, 40 of them held by open sessions; the gate admits up to the flag. 12 "
        "requests arrive at once.",
        case=_SESSIONS,
        tries=(
            Try("end-the-holder", server(lambda case: case.without("sessions-hold-rows"))),
            _RAISE,
            _SEND_LESS,
            _at(40, 24, 12),
            _PRINTED,
            _CONTEXT,
            _FEWER_LONGER,
        ),
    ),
    Cause(
        name="leaked-rows",
        title="Rows leak: one code path does not give them back",
        setting="48 rows, and every 12th request that ends leaves its row behind. 1,400 short "
        "requests arrive at once and run in turn.",
        case=_LEAK,
        tries=(
            Try("upgrade", server(lambda case: case.without("rows-leak"))),
            _RAISE,
            _at(24, 8, 2, 1),
            _CONTEXT,
        ),
    ),
    Cause(
        name="chunk-counted-as-free",
        title="Between chunks the row of a long prompt counts as free",
        setting="8 rows, 7 of them running. A prompt of 1,900 tokens takes the last one and is "
        "computed in chunks of 512; 4 more requests wait.",
        case=_CHUNK,
        tries=(
            Try("upgrade", server(lambda case: case.without("gate-counts-chunk-as-free"))),
            _at(4, 2, 1),
            Try(
                "send-less",
                server(lambda case: replace(case, offered=case.offered[:8])),
            ),
        ),
    ),
    Cause(
        name="rows-promised-twice",
        title="Two micro batches each budget all rows",
        setting="48 rows and a pipeline of two micro batches, each of which admits as though it "
        "owned the pool. 80 requests arrive at once.",
        case=_TWICE,
        tries=(
            Try("upgrade", server(lambda case: case.without("gate-per-micro-batch"))),
            _at(24, 8, 2),
            _CONTEXT,
        ),
    ),
)
