"""The server's default share of GPU memory."""

import pytest

from app.sizing.mem_fraction import default_fraction, tier_of


@pytest.mark.parametrize(
    ("gpu_mib", "tp", "expected"),
    [
        (81_000, 1, 0.834),
        (81_000, 8, 0.817),
        (144_000, 8, 0.897),
        (24_000, 1, 0.713),
        (46_068, 1, 0.851),
    ],
)
def test_known_cards(gpu_mib: float, tp: int, expected: float) -> None:
    chunk = tier_of(gpu_mib).chunk_tokens
    assert default_fraction(gpu_mib, tp, 1, chunk, 1, None) == expected


def test_each_part_of_the_reserve_is_counted() -> None:
    gpu = 46_068.0

    def reserved(tp: int = 1, pp: int = 1, chunk: int = 4096, dp: int = 1) -> float:
        return gpu * (1 - default_fraction(gpu, tp, pp, chunk, dp, None))

    near = gpu * 0.0006  # the fraction has three digits
    assert reserved() == pytest.approx(512 + 1.5 * 4096 + 128 + 64, abs=near)
    assert reserved(chunk=64) == pytest.approx(512 + 1.5 * 2048 + 128 + 64, abs=near)
    assert reserved(tp=4, pp=2) == pytest.approx(512 + 1.5 * 4096 + 1024 + 320, abs=near)
    assert reserved(tp=4, dp=2) == pytest.approx(
        512 + 1.5 * 4096 + 512 + 320 + 3 * 160 * 2, abs=near
    )


def test_a_large_card_keeps_ten_gibibytes_at_least() -> None:
    assert default_fraction(81_000, 1, 1, 2048, 1, None) == round(1 - 10_240 / 81_000, 3)


def test_a_vision_model_gets_less_the_larger_it_is() -> None:
    plain = default_fraction(81_000, 1, 1, 8192, 1, None)
    sizes = [k * 24 * 1024**2 for k in (0.1, 1.0, 2.0, 10.0)]
    shares = [default_fraction(81_000, 1, 1, 8192, 1, size) / plain for size in sizes]
    assert shares == pytest.approx([0.95 * 1.05, 0.95, 0.95 * 0.9, 0.95 * 0.8])
