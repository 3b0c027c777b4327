"""Capturing the decode graphs failed, mostly for want of memory."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="cuda-graph-capture-oom",
    id="2b91d6cc754fdc5d",
    title="CUDA graph capture failed",
    verdict="Read the words after the colon. If they are `CUDA out of memory`, the pools took the "
    "room that graphs need: lower `--mem-fraction-static` or the largest captured batch.",
    severity="critical",
    exception="Exception",
    message="Capture cuda graph failed: {e}\n{CUDA_GRAPH_CAPTURE_FAILED_MSG}",
    line="Capture cuda graph failed: {reason:text}\n{hints:text}",
    also=("Capture cuda graph failed:",),
    details=(
        r"Tried to allocate (?P<need_mib>\d{1,6}(?:\.\d{1,4})?) MiB",
        r"Tried to allocate (?P<need_gib>\d{1,6}(?:\.\d{1,4})?) GiB",
        r"of which (?P<free_mib>\d{1,6}(?:\.\d{1,4})?) MiB is free",
        r"of which (?P<free_gib>\d{1,6}(?:\.\d{1,4})?) GiB is free",
    ),
    pool="kv_pages",
    phase="startup",
    reach="operator",
    figures=(
        Figure("reason", "what the capture raised"),
        Figure("hints", "upstream's own list of remedies"),
        Figure("need_mib", "the allocation that failed", "MiB"),
        Figure("free_mib", "free on the GPU", "MiB"),
    ),
    meaning="Graphs are captured after the pools are made, in what is left. The message is the "
    "same for every RuntimeError in the capture: a closed connection, a missing header and an "
    "invalid kernel argument have been seen behind it as well.",
    trigger="Any RuntimeError while the decode graphs are captured.",
    source=(
        Source(
            path="python/sglang/srt/model_executor/runner/decode_cuda_graph_runner.py",
            function="DecodeCudaGraphRunner.__init__",
            line=602,
            description="Captures a graph per batch size and wraps what fails.",
        ),
    ),
    flags=(
        known("--mem-fraction-static", "lower"),
        known("--cuda-graph-max-bs-decode", "lower"),
    ),
    situations=(
        "448 MiB wanted, 301 MiB free of 95 GiB, two nodes with expert parallelism "
        "(sgl-project/sglang#5285).",
        "Workspaces of `--enable-torch-compile` on top of the pool (sgl-project/sglang#4489).",
    ),
    remedies=(
        Remedy(
            text="Lower `--mem-fraction-static`, a step of 0.02 to 0.05 at a time.",
            direction="lower",
            flag="--mem-fraction-static",
            cost="a smaller KV pool",
            not_when="the words after the colon are not about memory",
        ),
        Remedy(
            text="Lower `--cuda-graph-max-bs-decode` (`--cuda-graph-max-bs` before): fewer and "
            "smaller graphs.",
            direction="lower",
            flag="--cuda-graph-max-bs-decode",
            cost="larger batches decode without a graph",
        ),
        Remedy(text="Drop `--enable-torch-compile` where it is on."),
    ),
    related=("not-enough-memory-kv", "weights-leave-no-kv-memory", "tp-memory-unbalanced"),
    reports=("sgl-project/sglang#5285", "sgl-project/sglang#4489"),
)
