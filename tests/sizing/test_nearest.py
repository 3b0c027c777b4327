"""The closest valid name."""

from app.sizing.nearest import nearest


def test_a_slip_of_the_finger_is_understood_and_a_stranger_is_not() -> None:
    assert nearest("decod", ["null", "prefill", "decode"]) == "decode"
    assert nearest("zzz", ["null", "prefill", "decode"]) is None
    assert nearest("x", []) is None
