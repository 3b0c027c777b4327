"""Flags of a server that are worth showing beside a failure: those that bear on memory."""

from app.catalog.flags import EFFECTS

_ALSO = (
    *("--attention-backend", "--cuda-graph-max-bs", "--data-parallel-size", "--device", "--dp"),
    *("--disable-cuda-graph", "--disable-radix-cache", "--disaggregation-mode", "--ep-size"),
    *("--disaggregation-decode-enable-offload-kvcache", "--enable-dp-attention", "--tp"),
    *("--enable-torch-compile", "--enable-unified-memory", "--hicache-storage-backend", "--pp"),
    *("--hicache-write-policy", "--mamba-scheduler-strategy", "--nnodes", "--pp-size"),
    *("--pipeline-parallel-size", "--quantization", "--radix-eviction-policy"),
    *("--speculative-algorithm", "--speculative-eagle-topk", "--speculative-num-steps"),
    *("--tensor-parallel-size", "--gpu-memory-utilization", "--max-model-len", "--max-num-seqs"),
    "--max-num-batched-tokens",
)
FLAGS = frozenset([*(name for name in EFFECTS if name.startswith("--")), *_ALSO])
