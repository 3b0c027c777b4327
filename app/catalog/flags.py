"""What server flags and environment names do, once, for the entries that mention them.

Read in SGLang 0.5.23. An entry adds the direction that helps there.
"""

from app.catalog.entry import Direction, Flag

EFFECTS = {
    "--allow-auto-truncate": "Cuts an over-long prompt instead of refusing it.",
    "--chunked-prefill-size": "The most tokens that one prefill step asks the pool for.",
    "--context-length": (
        "Width of a row in `req_to_token`, and one bound on the length of a request. It never adds "
        "rows; where no request limit is given, a longer context gives fewer or as many."
    ),
    "--cuda-graph-max-bs-decode": "Largest decode batch for which a CUDA graph is captured.",
    "--disaggregation-decode-extra-slots": (
        "Rows added on a PD decode server for requests whose KV is still arriving. Default: twice "
        "the per-worker batch while that is at most 32, else 0."
    ),
    "--disable-overlap-schedule": "One tracking slot per request instead of two; slower.",
    "--disaggregation-decode-enable-radix-cache": (
        "Keeps prefixes on the PD decode server: pages must be evicted before they are free."
    ),
    "--dp-size": "Replicas; each holds its own share of weights and its own pools.",
    "--enable-hierarchical-cache": "Builds the host tier of the prefix cache.",
    "--hicache-host-memory-fraction": (
        "Caps the size that is chosen when neither size nor ratio is given."
    ),
    "--hicache-io-backend": "Copy engine between device and host; some layouts need a given one.",
    "--hicache-mem-layout": "Arrangement of the host buffer.",
    "--hicache-ratio": (
        "Host tokens over device tokens, 2.0 by default. At 1 or below every host page is a copy "
        "of one on the device."
    ),
    "--hicache-size": "Host pool in GB, per rank and per pool; overrides the ratio when given.",
    "--kv-cache-dtype": "Bytes per token: fp8 about doubles the tokens that fit the same budget.",
    "--kv-canary": "Self-check of KV contents: `none` (default), `log` or `raise`.",
    "--lora-target-modules": "Modules for which adapter buffers exist; fixed at start.",
    "--mamba-full-memory-ratio": (
        "Split of the budget between state slots and KV tokens; higher means more state slots."
    ),
    "--mamba-radix-cache-strategy": (
        "`extra_buffer` takes one or two more state slots per request, for tracking."
    ),
    "--mamba-ssm-dtype": "Bytes per state slot; bfloat16 halves them against float32.",
    "--max-lora-rank": "Rank of every adapter slot; fixed at start.",
    "--max-loras-per-batch": "Adapter slots on the GPU, 8 by default; the base model uses one too.",
    "--max-mamba-cache-size": "State slots; rows are also capped by state slots per request.",
    "--max-prefill-tokens": "Input tokens of one prefill batch; without chunking the first request "
    "of a batch may exceed it.",
    "--max-queued-requests": "Requests that may wait; the next one is turned away with 503.",
    "--max-running-requests": (
        "Number of rows: min(max(1, value // attention DP), token capacity // 2), then the state "
        "slot cap. The same number is the admission limit."
    ),
    "--max-total-tokens": "Upper bound on the profiled token capacity; it cannot raise it.",
    "--mem-fraction-static": (
        "Share of the GPU for weights and pools together. Higher: bigger pools, less room for "
        "activations and CUDA graphs."
    ),
    "--mm-feature-transport": (
        "`cuda_ipc` leases from this pool, `cuda_vmm` from another without slots, `cpu` from none."
    ),
    "--num-reserved-decode-tokens": "Tokens kept free per running request on PD decode, 512.",
    "--page-size": (
        "Granule of allocation. Each request can strand up to one page less a token, and a decode "
        "step needs a whole page for every request at a page boundary."
    ),
    "--pp-max-micro-batch-size": "Second cap on admission, per micro batch of the pipeline.",
    "--schedule-conservativeness": (
        "Reserve for what running requests may still generate. Higher: fewer admitted, fewer "
        "retracted."
    ),
    "--speculative-num-draft-tokens": "Multiplies the tokens of a decode batch.",
    "--swa-full-tokens-ratio": "Sliding-window tokens per full token, in (0, 1].",
    "--tokenizer-worker-num": "Each worker owns its share of the feature-pool budget.",
    "--tp-size": "Every rank (or rank per DP group) must acknowledge a lease.",
    "SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY": (
        "0 (default) off; 1 checks each step and prints the history when it fails."
    ),
    "SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE": (
        "On (default) a leak found while idle stops the server; off, it is only warned about."
    ),
    "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK": (
        "`false` (spelt so) turns the refusal into a warning; every rank is then sized for the "
        "smallest."
    ),
    "SGLANG_MM_FEATURE_CACHE_MB": (
        "Feature-pool budget in MiB, 1024 by default, shared by the tokenizer workers and taken "
        "from the KV budget."
    ),
    "SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC": (
        "Seconds between two passes of the recycler, 0.05 by default. An acknowledged lease "
        "returns to the pool only on a pass."
    ),
}


def known(name: str, direction: Direction, effect: str = "") -> Flag:
    """A flag with what it does, and `effect` when this error gives it a meaning of its own."""
    return Flag(name, direction, effect or EFFECTS[name])
