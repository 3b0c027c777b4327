"""Verdicts: golden cases, each a set of scalars with the one sentence that is right for it."""

from typing import Any

import pytest

from app.hub.verdict import HOLD_S, Steady
from app.hub.verdict_rules import judge
from tests.hub.hosts import snapshot

GIB = 1 << 30


def feature_pool(**numbers: Any) -> dict[str, Any]:
    total = numbers.get("total", GIB // 2)
    largest = numbers.get("largest", total)
    ranges = {"count": numbers.get("count", 1), "largest": largest, "total": total, "histogram": []}
    ranges |= {"external_fragmentation_frac": 1 - largest / total if total else 0.0}
    ranges |= {"largest_fit_now": largest, "largest_fit_after_merge": largest}
    generations = {"limit": 2**31 - 1, "max": numbers.get("generation", 5), "hottest_slot": 0}
    leases = {"count": 3, "oldest_age_s": 4.2, "outstanding": numbers.get("outstanding", [0, 0])}
    return snapshot(
        "mm_feature",
        GIB,
        held=GIB - total,
        unit="bytes",
        free_ranges=ranges,
        generations=generations,
        leases=leases,
        extra={"retired_slots": numbers.get("retired", 0)},
    )


def scalars(source: str = "replay", **parts: Any) -> dict[str, Any]:
    pools = {
        "request_slots": snapshot("request_slots", 256, held=parts.get("rows_held", 10)),
        "kv_pages": snapshot(
            "kv_pages",
            16_384,
            held=parts.get("kv_held", 1000),
            evictable=parts.get("kv_evictable", 0),
            leaked=parts.get("kv_leaked", 0),
            page_size=16,
        ),
        "mm_feature": parts.get("feature", feature_pool()),
    }
    engine = {"running_reqs": 10, "queued_reqs": 0, "need_next_pages": 0, "sim_t": 60.0}
    engine |= {"row_bound_since": None, "new_token_ratio": 0.7} | parts.get("engine", {})
    return {"source": source, "pools": pools, "engine": engine}


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "healthy": (scalars(), {"severity": "calm", "flag": None, "direction": "none"}),
    "full of cached prefixes is healthy": (
        scalars(kv_held=100, kv_evictable=16_284),
        {"severity": "calm", "cause_class": None},
    ),
    "page rounding": (
        scalars(
            kv_held=16_343, engine={"need_next_pages": 58, "running_reqs": 214, "queued_reqs": 3}
        ),
        {"cause_class": "page_rounding", "flag": "--mem-fraction-static", "direction": "raise"},
    ),
    "shortage": (
        scalars(kv_held=16_384, engine={"need_next_pages": 58, "running_reqs": 214}),
        {"cause_class": "shortage", "pool": "kv_pages", "direction": "raise"},
    ),
    "rows": (
        scalars(rows_held=256, engine={"queued_reqs": 44, "row_bound_since": 12.0}),
        {"flag": "--max-running-requests", "direction": "raise", "number": 300},
    ),
    "rows full with nobody waiting": (scalars(rows_held=256), {"severity": "calm"}),
    "admission by tokens": (
        scalars(engine={"queued_reqs": 5, "admission_blocked_by": "tokens"}),
        {"severity": "warning", "pool": "kv_pages", "confidence": "likely"},
    ),
    "leak": (
        scalars(kv_leaked=3),
        {"cause_class": "lost", "flag": None, "direction": "none", "severity": "binding"},
    ),
    "owned twice": (scalars(kv_leaked=-4), {"cause_class": "double_counted"}),
    "worn": (
        scalars(feature=feature_pool(generation=2**31 - 1, retired=4000)),
        {"cause_class": "worn_generation", "code": "mm-slot-generation-exhausted"},
    ),
    "slow consumer": (
        scalars(feature=feature_pool(total=1024, outstanding=[0, 61])),
        {"cause_class": "shortage", "pool": "mm_feature"},
    ),
    "fragmented": (
        scalars(feature=feature_pool(total=GIB // 2, largest=GIB // 16, count=40)),
        {"cause_class": "fragmentation", "pool": "mm_feature"},
    ),
    "two limits at once: the pool that retracts goes first": (
        scalars(rows_held=256, kv_held=16_384, engine={"need_next_pages": 9, "queued_reqs": 9}),
        {"pool": "kv_pages", "cause_class": "shortage"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict_golden_case(name: str) -> None:
    given, expected = CASES[name]
    verdict = judge(given)
    assert {key: verdict[key] for key in expected} == expected
    assert verdict["how"], "every verdict says how it was computed"


def test_verdict_names_the_slow_consumer() -> None:
    verdict = judge(CASES["slow consumer"][0])
    assert "61 of them waiting for consumer 1" in verdict["text"]


def test_verdict_says_free_tokens_beside_free_pages() -> None:
    verdict = judge(CASES["page rounding"][0])
    assert "41 of 16,384 pages" in verdict["text"]
    assert "656 free tokens" in verdict["detail"]


@pytest.mark.parametrize(
    ("source", "lead"),
    [
        ("replay", "In this replay "),
        ("synthetic", "In this simulation "),
        ("reconstructed", "In this reconstruction "),
        ("attached", "No limit binds"),
    ],
)
def test_verdict_is_honest_about_its_source(source: str, lead: str) -> None:
    assert judge(scalars(source))["text"].startswith(lead)


def test_steady_shows_a_worse_verdict_at_once_and_a_milder_one_late() -> None:
    steady = Steady()
    calm, binding = judge(CASES["healthy"][0]), judge(CASES["shortage"][0])
    assert steady.settle(calm, 0.0) is calm
    assert steady.settle(binding, 0.1) is binding
    assert steady.settle(calm, 0.2) is binding
    assert steady.settle(calm, 0.2 + HOLD_S) is calm


def test_steady_updates_numbers_of_the_same_verdict_at_once() -> None:
    steady = Steady()
    first = judge(scalars(rows_held=256, engine={"queued_reqs": 1}))
    second = judge(scalars(rows_held=256, engine={"queued_reqs": 9}))
    steady.settle(first, 0.0)
    assert steady.settle(second, 0.05)["number"] == 265


def test_steady_does_not_flicker_on_a_one_tick_dip() -> None:
    steady = Steady()
    binding, calm = judge(CASES["rows"][0]), judge(CASES["healthy"][0])
    shown = [steady.settle(calm if i % 5 == 4 else binding, i * 0.05) for i in range(100)]
    assert {one["severity"] for one in shown} == {"binding"}


@pytest.mark.parametrize(("waiting", "words"), [(1, "1 request waits."), (2, "2 requests wait.")])
def test_verdict_agrees_with_its_number(waiting: int, words: str) -> None:
    verdict = judge(scalars(rows_held=256, engine={"queued_reqs": waiting}))
    assert words in verdict["text"]
