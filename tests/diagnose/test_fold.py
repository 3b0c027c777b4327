"""One event however many ranks print it; different events stay apart; storms stay small."""

from app.diagnose.fold import MAX_EVENTS_PER_NAME, MAX_SIGHTINGS
from tests.diagnose.logs import ROWS, at, crash, explained, kv_oom

RETRACT = (
    "KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: {gained}, "
    "#new_token_ratio: 0.1000 -> 0.2000"
)
UNEQUAL = (
    "The memory capacity is unbalanced. Some GPUs may be occupied by other processes. "
    "pre_model_load_memory=40.0, local_gpu_memory={free}, local_gpu_memory * 0.9={floor}"
)


def test_sixteen_ranks_are_one_event() -> None:
    ranks = [f"TP{rank}" for rank in range(16)]
    logged = [at(9, rank) + kv_oom("Prefill", 64, 9) for rank in ranks]
    raised = [crash(10, kv_oom("Prefill", 64, 9), rank) for rank in ranks]
    found = explained(*logged, *raised)
    (event,) = [one for one in found.log.events.items if one.code]
    assert event.ranks == ranks
    assert event.times == 32
    assert event.first.stamp.time == "2026-03-02 08:00:09"


def test_figures_of_a_ranks_own_do_not_make_another_event() -> None:
    lines = [
        at(9, f"TP{rank}") + UNEQUAL.format(free=79.0 + rank / 10, floor=71.0) for rank in range(4)
    ]
    (event,) = explained(*lines).log.events.items
    assert len(event.ranks) == 4


def test_replicas_have_pools_of_their_own() -> None:
    found = explained(
        crash(9, kv_oom("Decode", 64, 9), "DP0 TP0"), crash(9, kv_oom("Decode", 50, 7), "DP1 TP1")
    )
    assert len([one for one in found.log.events.items if one.code]) == 2


def test_the_same_later_is_another_event() -> None:
    found = explained(*(at(second) + RETRACT.format(gained=9) for second in (1, 30, 59)))
    assert len(found.log.events.items) == 3


def test_a_traceback_that_quotes_the_message_is_the_same_event() -> None:
    found = explained(
        at(9) + "Scheduler hit an exception: Traceback (most recent call last):",
        '    assert not swa_leak, f"SWA Pool Mem Leak Detected! {swa_msg}"',
        "AssertionError: SWA Pool Mem Leak Detected! [swa] total=9, available=5, evictable=5, "
        "protected=0, session_held=0, uncached=0",
    )
    (event,) = found.log.events.items
    assert event.numbers["residual"] == -1


def test_without_times_the_distance_decides() -> None:
    near = explained(ROWS.format(free=0, wanted=1), "x", ROWS.format(free=0, wanted=1))
    assert len(near.log.events.items) == 1
    far = explained(ROWS.format(free=0, wanted=1), *["x"] * 500, ROWS.format(free=0, wanted=1))
    assert len(far.log.events.items) == 2


def test_a_storm_keeps_its_beginning_and_counts_the_rest() -> None:
    times = MAX_SIGHTINGS + 20_000
    lines = [at(number % 3_000) + RETRACT.format(gained=number) for number in range(times)]
    log = explained(*lines).log
    assert len(log.events.items) == MAX_EVENTS_PER_NAME
    counted = (
        sum(event.times for event in log.events.items) + log.events.left_out["retract-kv-pool-full"]
    )
    assert counted == times
