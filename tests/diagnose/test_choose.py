"""The first fatal line is explained, not what followed from it, nor what was survived."""

from tests.diagnose.logs import CHILD_DIED, ROWS, at, batch, crash, explained, kv_oom

RETRACT = (
    "KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 9, "
    "#new_token_ratio: 0.1000 -> 0.2000"
)


def test_the_end_may_be_printed_before_its_cause() -> None:
    found = explained(at(9, "") + CHILD_DIED, crash(9, kv_oom("Decode", 90, 3)))
    assert found.event is not None
    assert found.event.code == "kv-decode-oom"


def test_a_health_check_is_a_consequence() -> None:
    watchdog = "Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"
    health = at(8, "") + "Health check failed. Server couldn't get a response from detokenizer"
    found = explained(health, at(9) + watchdog)
    assert found.event is not None
    assert found.event.name == "watchdog-timeout"


def test_the_first_of_two_fatal_events() -> None:
    found = explained(crash(5, ROWS.format(free=0, wanted=1)), crash(60, kv_oom("Prefill", 9, 1)))
    assert found.event is not None
    assert found.event.code == "alloc-req-slots-exhausted"


def test_a_warning_does_not_explain_a_death_of_unknown_cause() -> None:
    found = explained(at(5) + RETRACT, crash(9, "a new kind of failure"))
    assert found.event is None
    assert found.rule.name == "not-known"
    assert "a new kind of failure" in found.text
    ended = explained(at(5) + RETRACT, at(9, "") + CHILD_DIED)
    assert ended.answer.confidence == "unknown"
    assert ended.event is not None
    assert ended.event.name == "child-died"


def test_a_death_by_the_slow_path_of_a_full_feature_pool_is_explained_by_it() -> None:
    found = explained(
        at(5) + "MmItemMemoryPool has no free chunk large enough for a 64.00 MiB tensor (pool "
        "size: 512.00 MiB); falling back to non-IPC transport",
        at(6) + "Failed to deserialize from CUDA IPC handle (invalid device pointer)",
        crash(6, "invalid device pointer"),
    )
    assert found.event is not None
    assert found.event.code == "mm-ipc-pool-full"


def test_one_lost_request_is_one_loss() -> None:
    found = explained(
        at(9) + "UserWarning: token_to_kv_pool_allocator memory leak detected! available_size=93, "
        "protected_size=0, self.max_total_num_tokens=100",
        at(9)
        + "UserWarning: req_to_token_pool memory leak detected!available_size=7, total_size=8",
    )
    assert found.event is not None
    assert found.event.code == "req-pool-leak-idle"
    assert "The token pool misses 7" in found.text


def test_startup_warnings_give_way_to_those_of_the_running_server() -> None:
    clamp = "max_total_tokens=900 is larger than the profiled value 800. Use the profiled value"
    found = explained(at(1) + clamp + " instead.", batch(4), at(5) + RETRACT)
    assert found.event is not None
    assert found.event.code == "retract-kv-pool-full"


def test_a_batch_line_of_the_same_rank_is_the_evidence() -> None:
    found = explained(
        batch(7, "TP0", usage=0.11),
        batch(8, "TP1", usage=0.99),
        crash(9, ROWS.format(free=0, wanted=1), "TP0"),
    )
    assert "0.11" in found.answer.how
