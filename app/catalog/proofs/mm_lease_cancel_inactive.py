"""A producer that cancels what is over."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

NAME = "releases-lease-again"

CAUSES = (
    Cause(
        name="late-cancel",
        title="A producer rolls a request back after its leases were freed",
        setting="20 features of 4 KiB, 50 ms apart. After the recycler has freed a lease, the "
        "producer cancels it.",
        case=ServerCase(
            server=replace(SMALL_SERVER, mm_feature_cache_mb=1),
            offered=every(50, 20, prompt=64, output=2, image_bytes=(4_096,)),
            conditions=((NAME, {"cancel": True}),),
        ),
        tries=(Try("mend-the-producer", server(lambda case: case.without(NAME))),),
    ),
)
