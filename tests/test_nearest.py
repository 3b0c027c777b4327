"""The closest valid name."""

from app.nearest import did_you_mean, nearest


def test_a_slip_of_the_finger_is_understood_and_a_stranger_is_not() -> None:
    assert nearest("decod", ["null", "prefill", "decode"]) == "decode"
    assert nearest("zzz", ["null", "prefill", "decode"]) is None
    assert nearest("x", []) is None


def test_did_you_mean_names_one_or_lists_all() -> None:
    assert did_you_mean("decod", ["prefill", "decode"]) == "; did you mean 'decode'?"
    assert did_you_mean("zzz", ["prefill", "decode"]) == "; there are: prefill, decode"
    assert did_you_mean("zzz", []) == "; there are none yet"
