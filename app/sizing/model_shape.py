"""What of a model decides the size of its caches, from its `config.json` or from our shelf."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.nearest import did_you_mean

#: `config.json` keys of well-known models, with the weights' size; one file each
SHELF = Path(__file__).parent / "models"
MAX_CONFIG_BYTES = 4 << 20
#: bytes of a weight by what its checkpoint was quantised with; scales and embeddings included
QUANTISED_BYTES = {"fp8": 1.03, "mxfp4": 0.56, "awq": 0.56, "gptq": 0.56, "modelopt_fp4": 0.56}
BYTES = {"float32": 4.0, "float16": 2.0, "bfloat16": 2.0}


class ModelError(ValueError):
    """A model whose shape cannot be told; the text says what to give."""


@dataclass(frozen=True, slots=True)
class MambaShape:
    """State of one linear-attention layer, before it is split over ranks.

    Attributes:
        conv_elements: of the convolution's window.
        ssm_elements: of the recurrent state.
    """

    conv_elements: int
    ssm_elements: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A model as its memory sees it.

    Attributes:
        name: how it was asked for.
        title: for people.
        weight_bytes: of the whole checkpoint.
        weights_estimated: whether that was computed from the shape.
        hidden_size: of a token's activations, elements.
        layers: all of them.
        full_layers: with KV of every token.
        swa_layers: with KV of the window only.
        linear_layers: with a state instead of KV.
        kv_heads: before they are split over ranks.
        head_dim: of K and of V, elements.
        latent_dim: MLA's one vector per token, elements; 0 for heads.
        window: sliding window, tokens; 0 without.
        context_len: longest request that the model is made for, tokens.
        multimodal: whether it takes images.
        mamba: state of a linear layer, or None.
    """

    name: str
    title: str
    weight_bytes: int
    weights_estimated: bool
    hidden_size: int
    layers: int
    full_layers: int
    swa_layers: int
    linear_layers: int
    kv_heads: int
    head_dim: int
    latent_dim: int
    window: int
    context_len: int
    multimodal: bool
    mamba: MambaShape | None


def shelf() -> tuple[str, ...]:
    """Names of the models that are known here."""
    return tuple(sorted(path.stem for path in SHELF.glob("*.json")))


def load_model(name: str) -> ModelShape:
    """A model by name, or by the path of its `config.json`.

    Raises:
        ModelError: unknown, unreadable, or without what a cache's size needs.
    """
    path = SHELF / f"{name.lower()}.json"
    if name.lower() in shelf():
        return shape_of(name.lower(), json.loads(path.read_text()))
    given = Path(name)
    if given.is_dir():
        given /= "config.json"
    if not given.is_file():
        hint = did_you_mean(name, shelf())
        raise ModelError(
            f"--model {name}: no model of that name and no such config.json{hint}; known are "
            f"{', '.join(shelf())}"
        )
    if given.stat().st_size > MAX_CONFIG_BYTES:
        raise ModelError(f"--model {name}: over {MAX_CONFIG_BYTES:,} bytes is no config.json")
    try:
        config = json.loads(given.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise ModelError(f"--model {name}: not JSON: {error}") from None
    if not isinstance(config, dict):
        raise ModelError(f"--model {name}: no JSON object")
    return shape_of(given.parent.name or name, config)


def shape_of(name: str, config: dict[str, Any]) -> ModelShape:
    """The shape behind a `config.json`.

    Args:
        name: for messages.
        config: as read; a multimodal model's text part may be nested in `text_config`.

    Raises:
        ModelError: a key is missing or no whole number.
    """
    text = _text_part(config)
    layers, heads = (
        _whole(name, text, f"num_{what}") for what in ("hidden_layers", "attention_heads")
    )
    hidden = _whole(name, text, "hidden_size")
    sliding, linear, window = _layer_kinds(text)
    latent = (text.get("kv_lora_rank") or 0) + (text.get("qk_rope_head_dim") or 0)
    weight_gb = config.get("weight_gb")
    return ModelShape(
        name=name,
        title=str(config.get("title", name)),
        weight_bytes=round(weight_gb * 1e9) if weight_gb else estimated_weights(name, config),
        weights_estimated=not weight_gb,
        hidden_size=hidden,
        layers=layers,
        full_layers=layers - linear - sliding,
        swa_layers=sliding,
        linear_layers=linear,
        kv_heads=_whole(name, text, "num_key_value_heads", heads),
        head_dim=_whole(name, text, "head_dim", hidden // max(heads, 1)),
        latent_dim=latent if text.get("kv_lora_rank") else 0,
        window=window,
        context_len=_whole(name, text, "max_position_embeddings"),
        multimodal="vision_config" in config,
        mamba=_mamba(name, text) if linear else None,
    )


def _text_part(config: dict[str, Any]) -> dict[str, Any]:
    text = config.get("text_config")
    return text if isinstance(text, dict) else config


def _layer_kinds(text: dict[str, Any]) -> tuple[int, int, int]:
    """Layers with a sliding window, layers with a state, and the window in tokens."""
    kinds, window = text.get("layer_types"), text.get("sliding_window")
    kinds = kinds if isinstance(kinds, list) else []
    window = window if isinstance(window, int) and window > 0 else 0
    sliding = kinds.count("sliding_attention") if window else 0
    return sliding, kinds.count("linear_attention"), window if sliding else 0


def estimated_weights(name: str, config: dict[str, Any]) -> int:
    """Bytes of the checkpoint, from the shape: embeddings, attention, feed-forward or experts."""
    text = _text_part(config)
    hidden, layers = _whole(name, text, "hidden_size"), _whole(name, text, "num_hidden_layers")
    heads = _whole(name, text, "num_attention_heads")
    head_dim = _whole(name, text, "head_dim", hidden // max(heads, 1))
    kv_heads = _whole(name, text, "num_key_value_heads", heads)
    attention = 2 * hidden * heads * head_dim + 2 * hidden * kv_heads * head_dim
    experts = next((text[key] for key in _EXPERTS if isinstance(text.get(key), int)), 0)
    inner = _whole(name, text, "intermediate_size")
    expert_inner = _whole(name, text, "moe_intermediate_size", inner)
    feed = 3 * hidden * (expert_inner * experts if experts else inner)
    tied = bool(text.get("tie_word_embeddings"))
    embeddings = _whole(name, text, "vocab_size") * hidden * (1 if tied else 2)
    return round((embeddings + layers * (attention + feed)) * _bytes_per_weight(config, text))


_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")


def _bytes_per_weight(config: dict[str, Any], text: dict[str, Any]) -> float:
    quantised = config.get("quantization_config") or text.get("quantization_config")
    if isinstance(quantised, dict):
        return QUANTISED_BYTES.get(str(quantised.get("quant_method")), 1.03)
    return BYTES.get(str(text.get("torch_dtype") or text.get("dtype")), 2.0)


def _mamba(name: str, text: dict[str, Any]) -> MambaShape:
    keys = _whole(name, text, "linear_num_key_heads") * _whole(name, text, "linear_key_head_dim")
    heads = _whole(name, text, "linear_num_value_heads")
    value_dim = _whole(name, text, "linear_value_head_dim")
    channels = 2 * keys + heads * value_dim
    kept = _whole(name, text, "linear_conv_kernel_dim") - 1
    return MambaShape(
        conv_elements=channels * kept,
        ssm_elements=heads * value_dim * _whole(name, text, "linear_key_head_dim"),
    )


def _whole(name: str, text: dict[str, Any], key: str, default: int | None = None) -> int:
    value = text.get(key)
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**40:
        raise ModelError(f"--model {name}: config.json has no usable {key} ({value!r})")
    return value
