"""Batches above the request table."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="batch-above-rows",
        title="A batch is larger than the number of rows at start",
        setting="Buffers of a server with 256 rows; decode batches of 64 and of 300 requests.",
        case=BuildCase(
            pool="kv_canary",
            options={"rows": 256, "max_prefill_tokens": 16_384, "of": "requests"},
            offered=(64, 300),
        ),
        tries=(
            Try("raise-max-running-requests", build(lambda case: case.built(rows=512))),
            Try(
                "raise-cuda-graph-max-bs",
                build(lambda c: tuple(c.built(cuda_graph_max_bs=n) for n in (64, 128, 256))),
            ),
        ),
    ),
)
