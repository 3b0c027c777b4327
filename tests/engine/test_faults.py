"""Each fault raises exactly what it says, and leaves the pools as they were."""

import pytest

from app.engine.faults import all_faults, fault_names
from tests.engine.workloads import driver, finish, request, settled

MESSAGES = {
    "over-admission": (
        "alloc-req-slots-exhausted",
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`. req_to_token_pool.available_size()=8, num_reqs=9, ",
    ),
    "unaligned-host-alloc": (
        "logical-host-alloc-unaligned",
        "LogicalHostPool allocation must be page-aligned, got need_size=37, page_size=16",
    ),
    "generation-near-limit": (
        "mm-slot-generation-exhausted",
        "CUDA IPC pool slot generation exhausted",
    ),
    "stale-release": (
        "mm-lease-release-inactive",
        "Cannot release inactive CUDA IPC pool lease (slot=0, generation=1)",
    ),
}


def test_all_five_faults_are_there() -> None:
    assert set(fault_names()) == {*MESSAGES, "silent-consumer"}
    for one in all_faults().values():
        assert one.title
        assert one.look.endswith(".")


@pytest.mark.parametrize("name", MESSAGES)
def test_fault_raises_the_exact_message(name: str) -> None:
    one, events = driver([request(0, 1_000, 64, 5)])
    code, message = MESSAGES[name]
    assert one.inject(name)["raised"] == code
    assert (events[0].code, events[0].message) == (code, message)
    assert events[0].numbers["injected"] == name
    settled(finish(one))


def test_silent_consumer_keeps_leases_until_it_speaks_again() -> None:
    one, _ = driver([request(rid, rid * 100, 64, 5, image_bytes=(4_096,)) for rid in range(5)])
    one.inject("silent-consumer", seconds=2.0)
    while one.now_ns < 1.5e9:
        one.step()
    assert one.set.features is not None
    assert one.set.features.snapshot(1.5).held == 5 * 4_096
    settled(finish(one))
    assert one.set.features.snapshot(3.0).held == 0


@pytest.mark.parametrize(
    ("name", "params", "named"),
    [
        ("over-admission", {"extra": 0}, "extra"),
        ("unaligned-host-alloc", {"need_size": 32}, "no multiple"),
        ("silent-consumer", {"consumer": 9}, "consumer"),
        ("silent-consumer", {"seconds": -1}, "seconds"),
        ("silent-consumer", {"share": 2}, "share"),
        ("nonsense", {}, "there are"),
    ],
)
def test_fault_with_bad_parameters_says_what_is_accepted(
    name: str, params: dict[str, object], named: str
) -> None:
    one, events = driver([])
    with pytest.raises(ValueError, match=named):
        one.inject(name, **params)
    assert events == []


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("unaligned-host-alloc", {"hicache_ratio": 0.0}),
        ("generation-near-limit", {"mm_feature_cache_mb": 0}),
        ("silent-consumer", {"mm_feature_cache_mb": 0}),
        ("stale-release", {"mm_feature_cache_mb": 0}),
    ],
)
def test_fault_without_its_pool_names_the_flag(name: str, flags: dict[str, object]) -> None:
    one, _ = driver([], **flags)
    with pytest.raises(ValueError, match="start with --"):
        one.inject(name)
