"""The words proved, avoids and refuted, computed from two observations."""

import pytest

from app.catalog.lab import Observation
from app.catalog.outcome import Outcome, best, judge, reproduced

CODE = "queue-full"
BEFORE = Observation(
    offered=10,
    offered_tokens=1_000,
    offered_key="same",
    finished=4,
    most_allowed=8,
    most_at_once=4,
    codes={CODE: 3},
    fatal=(CODE,),
    numbers={CODE: {"rid": 7}},
)


def after(**changes: object) -> Observation:
    """All ten served, nothing raised, unless it says otherwise."""
    served = {
        "offered": 10, "offered_tokens": 1_000, "offered_key": "same", "finished": 10,
        "most_allowed": 8, "most_at_once": 4,
    }  # fmt: skip
    return Observation(**{**served, **changes})  # type: ignore[arg-type]


def test_proved_is_all_of_the_same_and_nothing_failed() -> None:
    assert judge(CODE, BEFORE, after()) == Outcome("proved", "The same 10 offered, all 10 served.")
    assert judge(CODE, BEFORE, after(codes={"retract-kv-pool-full": 2})).status == "proved"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"offered": 5, "offered_key": "other", "finished": 5}, "5 instead of 10 are offered"),
        (
            {"offered_tokens": 500, "offered_key": "other"},
            "less is asked for, 500 instead of 1,000",
        ),
        ({"offered_key": "other"}, "the same is offered, later"),
        ({"finished": 9, "rejected": 1}, "9 of 10 are served: 1 turned away, 0 aborted"),
        ({"finished": 9, "aborted": 1}, "0 turned away, 1 aborted"),
        ({"short_tokens": 40}, "40 output tokens are cut off"),
        ({"most_allowed": 6}, "at most 6 may run at once, 8 before"),
        ({"reserve_scale": 1.3}, "scales its reserve by 1.3, by 1 before"),
        ({"most_at_once": 3}, "at most 3 run at once, 4 before"),
    ],
)
def test_avoids_is_gone_because_less_was_taken_in(changes: dict[str, object], why: str) -> None:
    outcome = judge(CODE, BEFORE, after(**changes))
    assert outcome.status == "avoids"
    assert why in outcome.why


def test_refuted_is_still_there_however_much_rarer() -> None:
    outcome = judge(CODE, BEFORE, after(codes={CODE: 1}, numbers={CODE: {"rid": 9}}))
    assert outcome == Outcome("refuted", "Still fails, 1 of 3 times: rid 9.")


def test_refuted_is_another_error_in_its_place() -> None:
    outcome = judge(CODE, BEFORE, after(codes={"kv-decode-oom": 1}, fatal=("kv-decode-oom",)))
    assert outcome.status == "refuted"
    assert "kv-decode-oom" in outcome.why


def test_the_best_value_counts_and_only_a_warning_too_is_a_reproduction() -> None:
    words = ("refuted", "proved", "avoids")
    outcomes = [Outcome(status, "") for status in words]  # type: ignore[arg-type]
    assert best(outcomes).status == "proved"
    assert best(outcomes[::2]).status == "avoids"
    assert reproduced(CODE, BEFORE)
    assert reproduced("retract-kv-pool-full", after(codes={"retract-kv-pool-full": 1}))
    assert not reproduced(CODE, after())
