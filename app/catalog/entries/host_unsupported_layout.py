"""A host pool does not implement the layout that was chosen."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="host-unsupported-layout",
    id="aac14d04e7d8db17",
    title="Host memory layout not supported",
    verdict="This host pool does not implement the layout of `--hicache-mem-layout`. Unset it "
    "together with `--hicache-io-backend`, or use `layer_first` or `page_first`.",
    severity="critical",
    exception="ValueError",
    message="Unsupported layout: {self.layout}",
    line="Unsupported layout: {layout:word}",
    pool="host_kv",
    phase="startup",
    reach="operator",
    figures=(Figure("layout", "the layout asked for"),),
    meaning="Each kind of host pool implements some of the layouts, and some only with one copy "
    "engine.",
    trigger="The pool class has no buffer shape, or no copy path, for the layout.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool_host.py",
            function="DeepSeekV4PagedHostPool.__init__",
            line=339,
            description="Refuses the layout when the pool is built; the copy routines of this and "
            "of other host pools repeat the test.",
        ),
    ),
    flags=(
        known("--hicache-mem-layout", "none"),
        known("--hicache-io-backend", "none"),
    ),
    remedies=(
        Remedy(
            text="Unset both flags: the server then picks a pair that works.",
            reason="which pair it picks depends on the model and is not modelled here",
        ),
        Remedy(
            key="layer-or-page-first",
            status="proved",
            text="Use `layer_first` or `page_first`; `page_first_direct` goes with the direct "
            "backend.",
            flag="--hicache-mem-layout",
        ),
    ),
    proven=True,
    related=("host-transfer-size-mismatch", "logical-host-alloc-unaligned"),
)
