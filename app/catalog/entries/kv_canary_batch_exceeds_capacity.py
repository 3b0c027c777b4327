"""The KV canary's batch buffer is too small."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="kv-canary-batch-exceeds-capacity",
    id="c652466cdccc69e1",
    title="KV canary: batch larger than its buffer",
    verdict="The KV self-check has no room for a batch this large. Raise `--max-running-requests`, "
    "the term that binds as a rule, or turn the canary off.",
    severity="critical",
    exception="RuntimeError",
    message="kv-canary: forward_batch.batch_size={bs} exceeds pre-allocated "
    "write_req_capacity={self._write_req_capacity}; raise --cuda-graph-max-bs-decode or check "
    "CanaryLaunchCapacities.from_args",
    line="kv-canary: forward_batch.batch_size={batch_size} exceeds pre-allocated "
    "write_req_capacity={write_req_capacity}; raise --cuda-graph-max-bs-decode or check "
    "CanaryLaunchCapacities.from_args",
    pool="kv_canary",
    reach="operator",
    figures=(
        Figure("batch_size", "requests in the batch", "requests"),
        Figure("write_req_capacity", "requests the buffer holds", "requests"),
    ),
    meaning="The canary writes a mark per request into a buffer made at start.",
    trigger="The batch exceeds max(`--cuda-graph-max-bs-decode`, rows of `req_to_token`).",
    source=(
        Source(
            path="python/sglang/srt/kv_canary/single_forward_manager/manager.py",
            function="SingleForwardManager.pre_ops_outside_graph",
            line=133,
            description="Compares the batch with the buffer before each forward pass.",
        ),
    ),
    flags=(
        known("--max-running-requests", "raise"),
        known(
            "--cuda-graph-max-bs-decode",
            "raise",
            "Counts only once it is above the number of rows.",
        ),
        known("--kv-canary", "none"),
    ),
    remedies=(
        Remedy(
            key="raise-max-running-requests",
            status="proved",
            text="Raise `--max-running-requests`: rows are the larger term as a rule.",
            direction="raise",
            flag="--max-running-requests",
        ),
        Remedy(
            text="`--kv-canary none` meanwhile; it is the default.",
            flag="--kv-canary",
            reason="the check is gone then, the cause is not",
        ),
        Remedy(
            key="raise-cuda-graph-max-bs",
            text="Raise `--cuda-graph-max-bs-decode`, as the message says.",
            status="refuted",
            direction="raise",
            flag="--cuda-graph-max-bs-decode",
            proof="The capacity is the larger of this flag and the rows of `req_to_token`: with "
            "256 rows, every value up to 256 changes nothing.",
        ),
    ),
    proven=True,
    related=("kv-canary-tokens-exceed-capacity", "alloc-req-slots-exhausted"),
)
