"""Bytes of a token, to the byte, for models whose numbers are known."""

import pytest

from app.sizing.cell_bytes import (
    ELEMENT_BYTES,
    cell_bytes,
    head_cell_bytes,
    kv_heads_of_rank,
    latent_cell_bytes,
    with_draft,
)
from app.sizing.model_shape import load_model


@pytest.mark.parametrize(
    ("name", "tp", "dtype", "expected"),
    [
        ("llama-3.1-8b", 1, "auto", 131_072),
        ("llama-3.1-8b", 1, "fp8_e4m3", 65_536),
        ("llama-3.1-8b", 1, "mxfp8", 65_536 + 2_048),
        ("llama-3.1-8b", 1, "fp4_e2m1", 36_864),
        ("llama-3.1-70b", 8, "auto", 40_960),
        ("qwen3-235b-a22b", 8, "auto", 48_128),
        ("qwen3-235b-a22b", 4, "auto", 48_128),
        ("deepseek-v3", 1, "auto", 70_272),
        ("deepseek-v3", 8, "auto", 70_272),
        ("deepseek-v3", 8, "fp8_e4m3", 35_136),
    ],
)
def test_known_models(name: str, tp: int, dtype: str, expected: int) -> None:
    model = load_model(name)
    assert cell_bytes(model, model.full_layers, tp, dtype) == expected


def test_heads_are_copied_once_there_are_more_ranks_than_heads() -> None:
    assert [kv_heads_of_rank(4, tp) for tp in (1, 2, 4, 8, 16)] == [4, 2, 1, 1, 1]


def test_fp4_has_a_scale_for_sixteen_elements_and_twice_that_with_two_layouts() -> None:
    one = head_cell_bytes(8, 128, 32, "fp4_e2m1")
    two = head_cell_bytes(8, 128, 32, "fp4_e2m1", fp4_scale_layouts=2)
    assert two - one == 8 * (128 // 16) * 32 * 2
    assert latent_cell_bytes(576, 61, "fp4_e2m1") == 576 * 61 // 2 + 36 * 61


def test_a_draft_model_adds_its_share_of_layers() -> None:
    assert with_draft(131_072, 1, 32) == 131_072 + 4_096


def test_every_type_name_has_a_size() -> None:
    model = load_model("llama-3.1-8b")
    assert all(cell_bytes(model, 1, 1, name) > 0 for name in ELEMENT_BYTES)
