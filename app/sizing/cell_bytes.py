"""Bytes that one token takes in the KV cache of one GPU.

Mirrors: sglang 0.5.23 model_executor/pool_configurator.py (cell size), configs/model_config.py
(KV heads of a rank), layers/quantization/fp4_kv_cache_quant_method.py (FP4 layout)
"""

from app.sizing.model_shape import ModelShape

#: bytes of an element by the name of --kv-cache-dtype; `auto` is the model's own type
ELEMENT_BYTES = {
    "auto": 2, "bfloat16": 2, "bf16": 2, "fp8_e5m2": 1, "fp8_e4m3": 1, "mxfp8": 1, "fp4_e2m1": 0,
}  # fmt: skip
FP4, MXFP8 = "fp4_e2m1", "mxfp8"
#: elements that share a scale
FP4_BLOCK, MXFP8_BLOCK = 16, 32


def kv_heads_of_rank(kv_heads: int, attention_tp: int) -> int:
    """Heads that one rank holds: split, and copied once there are more ranks than heads."""
    return max(1, kv_heads // attention_tp)


def head_cell_bytes(
    kv_heads: int, head_dim: int, layers: int, dtype: str, fp4_scale_layouts: int = 1
) -> int:
    """K and V of one token over `layers` layers, for `kv_heads` heads."""
    if dtype == FP4:
        data = kv_heads * (head_dim // 2) * layers * 2
        return data + kv_heads * (head_dim // FP4_BLOCK) * layers * 2 * fp4_scale_layouts
    elements = kv_heads * 2 * head_dim * layers
    scales = elements // MXFP8_BLOCK if dtype == MXFP8 else 0
    return elements * ELEMENT_BYTES[dtype] + scales


def latent_cell_bytes(latent_dim: int, layers: int, dtype: str) -> int:
    """MLA's latent vector of one token; every rank holds all of it."""
    if dtype == FP4:
        return latent_dim * layers // 2 + latent_dim // FP4_BLOCK * layers
    elements = latent_dim * layers
    scales = elements // MXFP8_BLOCK if dtype == MXFP8 else 0
    return elements * ELEMENT_BYTES[dtype] + scales


def cell_bytes(model: ModelShape, layers: int, attention_tp: int, dtype: str) -> int:
    """One token over `layers` layers of the model on one rank."""
    if model.latent_dim:
        return latent_cell_bytes(model.latent_dim, layers, dtype)
    heads = kv_heads_of_rank(model.kv_heads, attention_tp)
    return head_cell_bytes(heads, model.head_dim, layers, dtype)


def with_draft(cell: int, draft_layers: int, layers: int) -> int:
    """A cell with the draft model's layers beside it."""
    return cell + int(cell * draft_layers / layers)
