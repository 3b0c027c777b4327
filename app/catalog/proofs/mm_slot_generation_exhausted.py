"""A slot that has been leased nearly 2^31 times."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

LEFT = 30
_FEATURE = (256,)
_CASE = ServerCase(
    server=replace(SMALL_SERVER, mm_feature_cache_mb=1, checks="upstream"),
    offered=every(10, 200, prompt=16, output=1, image_bytes=_FEATURE),
    conditions=(("worn-slots", {"left": LEFT}),),
)
_HALF = every(20, 100, prompt=16, output=1, image_bytes=_FEATURE)

CAUSES = (
    Cause(
        name="slot-worn-out",
        title="One slot is at the end of its 31-bit count",
        setting="Each slot may be leased 30 times more. 100 features a second for 2 s, and a "
        "recycler that passes every 0.05 s: the top of the stack is reused once per pass.",
        case=_CASE,
        tries=(
            Try("restart", server(lambda case: case.without("worn-slots"))),
            Try(
                "longer-recycle-interval",
                server(lambda case: case.flags(mm_recycle_interval_s=0.1)),
            ),
            Try("copy-half-as-much", server(lambda case: replace(case, offered=_HALF))),
        ),
    ),
)
