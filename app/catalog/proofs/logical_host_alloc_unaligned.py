"""A caller that backs up raw lengths."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

NAME = "backs-up-raw-length"
#: 33 tokens of prompt and 5 of output leave 37 with KV: the last token of an answer needs none
_CASE = ServerCase(
    server=replace(SMALL_SERVER, hicache_ratio=2.0),
    offered=at_once(8, prompt=33, output=5),
    conditions=((NAME, {}),),
)


def _mended(remedy: str, mend: str) -> Try:
    return Try(remedy, server(lambda case: case.instead(NAME, mend=mend)))


CAUSES = (
    Cause(
        name="raw-length-backed-up",
        title="A caller backs up a raw length instead of whole pages",
        setting="Page 16, a host pool of twice the device's size. 8 requests of 37 tokens each end "
        "and are backed up by their own length.",
        case=_CASE,
        tries=(
            Try("upgrade", server(lambda case: case.without(NAME))),
            _mended("cut-the-range", "cut range first"),
            Try("host-tier-off", server(lambda case: case.flags(hicache_ratio=0.0))),
            _mended("round-host-request-up", "round host request up"),
            _mended("catch-and-round-up", "catch and round up"),
            Try(
                "another-page-size",
                server(lambda case: tuple(case.flags(page_size=p) for p in (32, 64, 128, 256))),
            ),
        ),
    ),
)
