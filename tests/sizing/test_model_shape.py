"""Models by name and by config.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.sizing.model_shape import SHELF, ModelError, estimated_weights, load_model, shape_of, shelf

CONFIG = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}


def test_a_dozen_models_are_known() -> None:
    assert len(shelf()) >= 12
    for name in shelf():
        model = load_model(name)
        assert model.full_layers + model.swa_layers + model.linear_layers == model.layers
        assert not model.weights_estimated


@pytest.mark.parametrize(
    "name", [name for name in shelf() if name not in ("deepseek-v3", "gpt-oss-120b")]
)
def test_known_weights_are_what_the_shape_says(name: str) -> None:
    config = json.loads((SHELF / f"{name}.json").read_text())
    assert load_model(name).weight_bytes == pytest.approx(estimated_weights(name, config), rel=0.09)


def test_a_config_json_is_read_by_file_and_by_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    for given in (tmp_path, tmp_path / "config.json"):
        model = load_model(str(given))
        assert (model.kv_heads, model.head_dim, model.context_len) == (8, 128, 131_072)
        assert model.weights_estimated
        assert model.weight_bytes == pytest.approx(16.06e9, rel=0.01)


def test_a_nested_text_part_and_a_vision_part_are_seen() -> None:
    model = shape_of("vl", {"text_config": CONFIG, "vision_config": {"depth": 32}})
    assert model.multimodal
    assert model.layers == 32


def test_layers_are_told_apart() -> None:
    kinds = ["linear_attention"] * 3 + ["full_attention"]
    model = load_model("qwen3-next-80b-a3b")
    assert (model.linear_layers, model.full_layers) == (36, 12)
    assert model.mamba is not None
    assert (model.mamba.conv_elements, model.mamba.ssm_elements) == (8192 * 3, 32 * 128 * 128)
    gpt = load_model("gpt-oss-120b")
    assert (gpt.swa_layers, gpt.full_layers, gpt.window) == (18, 18, 128)
    unslid = shape_of(
        "x", CONFIG | {"layer_types": kinds[:1] * 32, "sliding_window": None} | LINEAR
    )
    assert unslid.swa_layers == 0


LINEAR = {
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "no JSON object"),
        (json.dumps({**CONFIG, "num_hidden_layers": "32"}), "num_hidden_layers"),
        (json.dumps({**CONFIG, "hidden_size": -1}), "hidden_size"),
    ],
)
def test_a_wrong_config_is_named(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(ModelError, match=said):
        load_model(str(path))


@pytest.mark.parametrize("key", ["num_attention_heads", "max_position_embeddings", "vocab_size"])
def test_a_missing_key_is_named(key: str) -> None:
    config: dict[str, Any] = {name: value for name, value in CONFIG.items() if name != key}
    with pytest.raises(ModelError, match=key):
        shape_of("x", config)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"did you mean 'llama-3\.1-8b'"):
        load_model("llama3.1-8b")
