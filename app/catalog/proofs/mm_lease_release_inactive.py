"""A consumer that releases what is over."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

CAUSES = (
    Cause(
        name="late-release",
        title="A consumer keeps old leases and releases them again",
        setting="20 features of 4 KiB, 50 ms apart. After the recycler has freed a lease, a "
        "consumer that kept it releases it once more.",
        case=ServerCase(
            server=replace(SMALL_SERVER, mm_feature_cache_mb=1),
            offered=every(50, 20, prompt=64, output=2, image_bytes=(4_096,)),
            conditions=(("releases-lease-again", {}),),
        ),
        tries=(
            Try("mend-the-consumer", server(lambda case: case.without("releases-lease-again"))),
        ),
    ),
)
