"""A layout that the pool has no buffers for."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="layout-of-another-pool",
        title="The layout is one that this pool does not implement",
        setting="A host pool of 1,024 tokens at page 16 in the layout page_head; 2 allocations of "
        "320 tokens.",
        case=BuildCase(
            pool="host_kv",
            options={"size": 1_024, "page_size": 16, "layout": "page_head"},
            offered=(320, 320),
        ),
        tries=(
            Try(
                "layer-or-page-first",
                build(lambda c: tuple(c.built(layout=x) for x in ("layer_first", "page_first"))),
            ),
        ),
    ),
)
