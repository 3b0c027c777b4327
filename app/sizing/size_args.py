"""What decides a real server's pools: the model, the GPU, and flags under SGLang's own names."""

import math
from dataclasses import dataclass

from app.sizing.cell_bytes import ELEMENT_BYTES
from app.sizing.mem_fraction import tier_of
from app.sizing.model_shape import ModelShape
from app.sizing.server_args import FlagError

MIB_PER_GIB = 1024
TRANSPORTS = ("cpu", "cuda_ipc")
MAX_WHOLE = 2**53


@dataclass(frozen=True, slots=True)
class SizeArgs:
    """Flags of one server; sizes are of one rank of one attention-DP worker.

    Attributes:
        model: the model's shape.
        gpu_gib: memory of one GPU.
        tp_size, pp_size: ranks and pipeline stages.
        dp_size: data-parallel workers, which split the ranks under `enable_dp_attention`.
        kv_cache_dtype: of the KV cache.
        mem_fraction_static: share of memory for weights and pools; None: the server's default.
        max_total_tokens: upper limit of the KV pool, tokens; None: what fits.
        max_running_requests: over all attention-DP workers; None: from the token capacity.
        context_length: longest request, tokens; None: the model's own.
        page_size: tokens per KV page.
        chunked_prefill_size: None: the GPU tier's default; 0 or less: no chunks.
        max_prefill_tokens: prompt tokens of one prefill batch.
        disable_radix_cache: no prefix sharing.
        enable_hierarchical_cache: a host pool as well.
        hicache_ratio: host tokens per device token.
        hicache_size_gb: host pool in 10^9 bytes per rank; 0: by ratio.
        swa_full_tokens_ratio: window layers' tokens per full token.
        mamba_full_memory_ratio: memory of states per memory of KV.
        max_mamba_cache_size: state slots; None: by ratio.
        mm_feature_transport: `cpu` or `cuda_ipc`, which has a pool.
        mm_feature_cache_mb: that pool, MiB.
        tokenizer_worker_num: processes that share it.
        speculative_num_draft_tokens, speculative_num_steps, speculative_eagle_topk: speculation.
        draft_layers: layers of the draft model.
        weights_gib: of the whole checkpoint in memory; None: the shape's.
        measured_tokens: `max_total_num_tokens` that a real server printed.
        request_tokens: prompt and output of a usual request, for the bound by KV.
    """

    model: ModelShape
    gpu_gib: float
    tp_size: int = 1
    pp_size: int = 1
    dp_size: int = 1
    enable_dp_attention: bool = False
    kv_cache_dtype: str = "auto"
    mem_fraction_static: float | None = None
    max_total_tokens: int | None = None
    max_running_requests: int | None = None
    context_length: int | None = None
    page_size: int = 1
    chunked_prefill_size: int | None = None
    max_prefill_tokens: int = 16_384
    disable_radix_cache: bool = False
    enable_hierarchical_cache: bool = False
    hicache_ratio: float = 2.0
    hicache_size_gb: float = 0.0
    swa_full_tokens_ratio: float = 0.8
    mamba_full_memory_ratio: float = 0.9
    max_mamba_cache_size: int | None = None
    mm_feature_transport: str = "cpu"
    mm_feature_cache_mb: int = 1024
    tokenizer_worker_num: int = 1
    speculative_num_draft_tokens: int = 0
    speculative_num_steps: int = 0
    speculative_eagle_topk: int = 1
    draft_layers: int = 0
    weights_gib: float | None = None
    measured_tokens: int | None = None
    request_tokens: int = 4096

    @property
    def attn_dp(self) -> int:
        """Workers that the ranks are split among."""
        return self.dp_size if self.enable_dp_attention else 1

    @property
    def attention_tp(self) -> int:
        """Ranks that share one worker's heads."""
        return self.tp_size // self.attn_dp

    @property
    def context_len(self) -> int:
        """Longest request, tokens."""
        return self.context_length or self.model.context_len

    @property
    def chunk_tokens(self) -> int:
        """Prompt tokens of one prefill step on one worker; 0: no chunks."""
        asked = self.chunked_prefill_size
        if asked is None:
            asked = tier_of(self.gpu_gib * MIB_PER_GIB).chunk_tokens
        return max(asked // self.attn_dp, 1) if asked > 0 else 0

    @property
    def weights_gib_of_rank(self) -> float:
        """Weights on one GPU, as if they were split evenly."""
        whole = self.weights_gib
        if whole is None:
            whole = self.model.weight_bytes / 2**30
        return whole / (self.tp_size * self.pp_size)


#: smallest value of each whole number
_FLOORS = {
    "tp_size": 1, "pp_size": 1, "dp_size": 1, "page_size": 1, "max_prefill_tokens": 1,
    "mm_feature_cache_mb": 1, "tokenizer_worker_num": 1, "speculative_num_draft_tokens": 0,
    "speculative_num_steps": 0, "speculative_eagle_topk": 1, "draft_layers": 0,
    "request_tokens": 1,
}  # fmt: skip
_OPTIONAL_FLOORS = {
    "max_total_tokens": 1, "max_running_requests": 1, "context_length": 8,
    "max_mamba_cache_size": 1, "measured_tokens": 1,
}  # fmt: skip
_POSITIVE = (
    "gpu_gib", "hicache_ratio", "swa_full_tokens_ratio", "mamba_full_memory_ratio",
)  # fmt: skip


def check(args: SizeArgs) -> None:
    """Flags that cannot work, alone or together.

    Raises:
        FlagError: the first one.
    """
    for field, floor in (_FLOORS | _OPTIONAL_FLOORS).items():
        value = getattr(args, field)
        if value is not None and not floor <= value <= MAX_WHOLE:
            raise FlagError(_flag(field), value, f"below {floor}, or too large", f"give {floor} up")
    for field in _POSITIVE:
        value = getattr(args, field)
        if not math.isfinite(value) or value <= 0:
            raise FlagError(_flag(field), value, "not above 0", "give a positive number")
    fraction = args.mem_fraction_static
    if fraction is not None and not 0 < fraction < 1:
        raise FlagError("--mem-fraction-static", fraction, "no share", "give 0.5 to 0.95 or so")
    if args.weights_gib is not None and not 0 < args.weights_gib < 1e6:
        raise FlagError("--weights-gib", args.weights_gib, "no size", "give the weights' GiB")
    if not math.isfinite(args.hicache_size_gb) or args.hicache_size_gb < 0:
        raise FlagError("--hicache-size", args.hicache_size_gb, "no size", "give 10^9 bytes")
    for field, choices in (
        ("kv_cache_dtype", tuple(ELEMENT_BYTES)),
        ("mm_feature_transport", TRANSPORTS),
    ):
        if getattr(args, field) not in choices:
            raise FlagError(
                _flag(field), getattr(args, field), "not known", f"give {', '.join(choices)}"
            )
    _check_together(args)


def _check_together(args: SizeArgs) -> None:
    if args.enable_dp_attention and args.tp_size % args.dp_size:
        raise FlagError(
            "--dp-size",
            args.dp_size,
            f"does not divide --tp-size {args.tp_size}",
            "choose a divisor",
        )
    if args.dp_size > 1 and not args.enable_dp_attention:
        raise FlagError(
            "--dp-size",
            args.dp_size,
            "without --enable-dp-attention every worker is a server of its own",
            "size one of them, or add --enable-dp-attention",
        )
    if args.chunk_tokens and args.chunk_tokens % args.page_size:
        raise FlagError(
            "--chunked-prefill-size",
            args.chunk_tokens,
            f"chunked_prefill_size must be divisible by page_size {args.page_size}",
            "give a multiple, or -1 to switch chunks off",
        )
    if args.pp_size > args.model.layers:
        raise FlagError("--pp-size", args.pp_size, "more stages than layers", "give fewer")


def _flag(field: str) -> str:
    return {"hicache_size_gb": "--hicache-size"}.get(field, "--" + field.replace("_", "-"))
