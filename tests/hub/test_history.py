"""History: bins keep dips, the ring keeps its budget, a new epoch begins anew."""

from typing import Any

from app.hub.history import COLUMNS, FIRST_ROWS, History
from tests.hub.hosts import snapshot


def tick(seq: int, available: int) -> dict[str, Any]:
    pool = snapshot("kv_pages", 1000, available=available)
    return {"seq": seq, "t": 10.0 + seq, "sim_t": float(seq), "pools": {"kv_pages": pool}}


def filled(rows: int, budget_bytes: int = 1 << 30) -> History:
    history = History(budget_bytes)
    history.start(1, {"kv_pages": {}})
    for seq in range(rows):
        history.append(tick(seq, 1000 - seq % 1000))
    return history


def test_history_rows_are_in_order_and_end_with_the_newest() -> None:
    rows = filled(100).rows("kv_pages", 1000)
    assert [row["seq"] for row in rows] == list(range(100))
    assert rows[-1]["available"] == 901


def test_history_bins_keep_the_least_available_of_each() -> None:
    history = filled(0)
    for seq in range(100):
        history.append(tick(seq, 7 if seq == 42 else 500))
    rows = history.rows("kv_pages", 10)
    assert len(rows) == 10
    assert [row["available_min"] for row in rows].count(7.0) == 1
    assert all(row["available"] == 500 for row in rows)


def test_history_keeps_at_most_four_rows_a_second() -> None:
    history = filled(0)
    for index in range(40):
        history.append({**tick(index, 1), "t": 100.0 + index / 20})
    assert 8 <= len(history.rows("kv_pages", 1000)) <= 9


def test_history_ring_stays_within_its_budget_and_says_how_far_it_reaches() -> None:
    budget = FIRST_ROWS * len(COLUMNS) * 8
    history = filled(FIRST_ROWS + 500, budget)
    rows = history.rows("kv_pages", 10_000)
    assert len(rows) == FIRST_ROWS
    assert rows[0]["seq"] == 500
    assert history.reach_s() == FIRST_ROWS - 1


def test_history_grows_while_the_budget_allows() -> None:
    assert len(filled(FIRST_ROWS + 500).rows("kv_pages", 10_000)) == FIRST_ROWS + 500


def test_history_of_a_new_epoch_begins_empty() -> None:
    history = filled(10)
    history.start(1, {"kv_pages": {}})
    assert len(history.rows("kv_pages", 100)) == 10
    history.start(2, {"kv_pages": {}})
    assert history.rows("kv_pages", 100) == []
    assert history.reach_s() == 0.0


def test_history_of_an_unknown_pool_is_empty() -> None:
    assert filled(5).rows("nonsense", 10) == []
