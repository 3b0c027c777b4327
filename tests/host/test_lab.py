"""The lab runs what a case says on real pools, and says so when a case makes no sense."""

from dataclasses import replace

import pytest

from app.catalog.lab import SMALL_SERVER, BuildCase, LabError, ServerCase
from app.catalog.requests import at_once, every
from app.host.lab import EngineLab

LAB = EngineLab()


def test_a_healthy_server_serves_everything_and_raises_nothing() -> None:
    seen = LAB.run(ServerCase(offered=at_once(60, prompt=100, output=20)))
    assert (seen.offered, seen.finished, seen.most_at_once) == (60, 60, 48)
    assert seen.served_all
    assert (seen.codes, seen.fatal) == ({}, ())
    rows = next(pool for pool in seen.pools if pool.name == "request_slots")
    assert (rows.held, rows.cells) == (48, "1" * 48), "seen when most ran at once"


def test_the_same_case_is_the_same_observation() -> None:
    case = ServerCase(
        offered=every(5, 40, prompt=120, output=30),
        conditions=(("gate-counts-flag", {}), ("sessions-hold-rows", {"count": 44})),
    )
    first = LAB.run(case)
    assert first == EngineLab().run(case)
    assert first.fatal == ("alloc-req-slots-exhausted",)
    assert first.offered_key == case.flags(max_running_requests=9).offered_key
    assert first.offered_key != replace(case, offered=case.offered[1:]).offered_key


def test_every_end_is_counted_even_when_the_server_dies() -> None:
    seen = LAB.run(
        ServerCase(
            server=replace(SMALL_SERVER, max_queued_requests=10),
            offered=at_once(30, prompt=100, output=20),
            conditions=(("frees-twice", {}),),
        )
    )
    assert (seen.rejected, seen.finished, seen.aborted) == (20, 1, 0)
    assert set(seen.codes) == {"queue-full", "pool-double-free"}
    assert seen.fatal == ("pool-double-free",)


def test_flags_that_no_server_starts_with_are_an_observation() -> None:
    seen = LAB.run(
        ServerCase(
            server=replace(SMALL_SERVER, memory_budget_bytes=1),
            offered=at_once(3, prompt=10, output=2),
        )
    )
    assert (seen.fatal, seen.finished) == (("pool-memory-budget-exceeded",), 0)
    assert seen.pools == ()


def test_a_full_pool_is_no_error_of_a_build() -> None:
    case = BuildCase(pool="host_logical", options={"size": 64, "page_size": 16}, offered=(32,) * 3)
    seen = LAB.run(case)
    assert (seen.finished, seen.rejected, seen.codes) == (2, 1, {})


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (ServerCase(offered=(), conditions=(("rows-leek", {}),)), "did you mean 'rows-leak'"),
        (ServerCase(offered=(), conditions=(("rows-leak", {"often": 2}),)), "often"),
        (ServerCase(offered=(), conditions=(("worn-slots", {"left": 2}),)), "mm_feature_cache_mb"),
        (BuildCase(pool="swimming", options={}, offered=()), "host_logical"),
        (BuildCase(pool="host_logical", options={"depth": 2}, offered=()), "depth"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused_by_name(
    case: ServerCase | BuildCase, words: str
) -> None:
    with pytest.raises(LabError, match=words):
        LAB.run(case)
