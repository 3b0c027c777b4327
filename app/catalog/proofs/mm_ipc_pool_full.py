"""Features that find no free range."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once, every

KIB = 1 << 10
_SERVER = replace(SMALL_SERVER, mm_feature_cache_mb=1)
_SILENT = ServerCase(
    server=_SERVER,
    offered=every(100, 40, prompt=64, output=4, image_bytes=(64 * KIB,)),
    conditions=(("consumer-is-silent", {"seconds": 3.0}),),
)
_BURST = ServerCase(
    server=_SERVER,
    offered=tuple(
        replace(request, image_bytes=(200 * KIB,)) for request in at_once(8, prompt=64, output=4)
    ),
)
_SLOW = ServerCase(
    server=replace(_SERVER, mm_recycle_interval_s=1.0),
    offered=every(50, 40, prompt=64, output=4, image_bytes=(64 * KIB,)),
)
_RAISE = Try("raise-cache", server(lambda case: case.flags(mm_feature_cache_mb=4)))
_FASTER = Try("shorter-recycle-interval", server(lambda c: c.flags(mm_recycle_interval_s=0.05)))

CAUSES = (
    Cause(
        name="silent-consumer",
        title="One rank does not acknowledge",
        setting="1 MiB for 2 consumers, 40 features of 64 KiB in 4 s. Consumer 1 says nothing for "
        "3 s, so no lease returns.",
        case=_SILENT,
        tries=(
            Try("mend-the-consumer", server(lambda case: case.without("consumer-is-silent"))),
            _RAISE,
            Try("shorter-recycle-interval", server(lambda c: c.flags(mm_recycle_interval_s=0.01))),
        ),
    ),
    Cause(
        name="burst-larger-than-pool",
        title="More comes at once than the pool holds",
        setting="1 MiB, and 8 features of 200 KiB within one scheduler iteration.",
        case=_BURST,
        tries=(_RAISE,),
    ),
    Cause(
        name="slow-recycling",
        title="Acknowledged memory returns too late",
        setting="1 MiB, a recycler that passes once a second, and 20 features of 64 KiB a second "
        "that are acknowledged at once.",
        case=_SLOW,
        tries=(_RAISE, _FASTER),
    ),
)
