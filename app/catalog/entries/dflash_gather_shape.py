"""Positions and mask of a gather do not fit."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="dflash-gather-shape",
    id="d3fb84668ca138c4",
    title="Gather with shapes that do not fit",
    verdict="Positions to be read from `req_to_token` and the mask over them have different "
    "shapes. No pool and no flag has a part in it: report it with the shapes.",
    severity="critical",
    exception="RuntimeError",
    message="{context} mask/position shape mismatch: {tuple(mask.shape)} vs {tuple(pos2d.shape)}.",
    line="{context:phrase} mask/position shape mismatch: {mask:shape} vs {positions:shape}.",
    also=("{context:phrase} expected 2D positions, got shape={positions:shape}.",),
    pool="speculative",
    reach="invariant",
    figures=(
        Figure("context", "the gather that failed"),
        Figure("mask", "shape of the mask"),
        Figure("positions", "shape of the positions"),
    ),
    meaning="The gather reads one rectangle of positions per request and keeps what the mask "
    "selects, so both must be the same rectangle.",
    trigger="Positions are not two-dimensional, or the mask has another shape.",
    source=(
        Source(
            path="python/sglang/srt/speculative/dflash_worker_v2.py",
            function="DFlashWorkerV2._gather_req_to_token_masked",
            line=1153,
            description="Compares both shapes before the gather.",
        ),
    ),
    remedies=(Remedy(text="Report it with both shapes: a plug-in has passed a wrong mask."),),
    related=("dflash-req-to-token-empty",),
)
