"""The server's default of --mem-fraction-static and of the sizes that come with a GPU's tier.

Mirrors: sglang 0.5.23 arg_groups/memory_hook.py; without prefill graphs and without DeepEP
"""

from typing import NamedTuple


class Tier(NamedTuple):
    """Defaults for GPUs below a size.

    Attributes:
        below_mib: of GPU memory.
        chunk_tokens: --chunked-prefill-size.
        graph_batch: largest captured decode batch with fewer than 4 ranks, and from 4 on.
    """

    below_mib: float
    chunk_tokens: int
    graph_batch: tuple[int, int]


TIERS = (
    Tier(20 * 1024, 2048, (8, 8)),
    Tier(35 * 1024, 4096, (48, 160)),
    Tier(60 * 1024, 4096, (32, 160)),
    Tier(90 * 1024, 8192, (256, 512)),
    Tier(160 * 1024, 8192, (256, 512)),
    Tier(float("inf"), 16384, (512, 512)),
)
MIN_ACTIVATION_TOKENS = 2048
LARGE_GPU_MIB, LARGE_RESERVE_MIB = 60 * 1024, 10 * 1024
#: a vision model of this size keeps the whole of its factor
VISION_LAYERS_HIDDEN2 = 24 * 1024**2


def tier_of(gpu_mib: float) -> Tier:
    """Defaults of a GPU by its memory."""
    return next(tier for tier in TIERS if gpu_mib < tier.below_mib)


def default_fraction(
    gpu_mib: float, tp: int, pp: int, chunk_tokens: int, attn_dp: int, vision: float | None
) -> float:
    """Share of GPU memory for weights and pools together.

    Args:
        gpu_mib: memory of one GPU.
        tp: tensor-parallel ranks.
        pp: pipeline stages.
        chunk_tokens: of one prefill step, or --max-prefill-tokens without chunks.
        attn_dp: attention data-parallel workers, 1 without.
        vision: layers × hidden² of a model that takes images, else None.
    """
    batch = tier_of(gpu_mib).graph_batch[tp >= 4]
    graphs = 2.0 * batch
    if attn_dp > 1:
        graphs += 3 * batch * attn_dp * (1.5 if batch > 300 else 1.0)
    reserved = 512 + 1.5 * max(chunk_tokens, MIN_ACTIVATION_TOKENS) + tp * pp / 8 * 1024 + graphs
    if gpu_mib > LARGE_GPU_MIB:
        reserved = max(reserved, LARGE_RESERVE_MIB)
    fraction = round((gpu_mib - reserved) / gpu_mib, 3)
    if vision is None:
        return fraction
    size = vision / VISION_LAYERS_HIDDEN2
    return fraction * 0.95 * min(max(1 - 0.1 * (size - 1), 0.8), 1.05)
