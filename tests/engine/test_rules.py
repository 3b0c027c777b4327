"""The scheduler's rules, one by one, against numbers worked out by hand."""

import numpy as np
import pytest

from app.engine.new_token_ratio import NewTokenRatio
from app.engine.policies.sglang import (
    PrefillBudget,
    ceil_page,
    input_too_long,
    max_new_tokens,
    retract_order,
    rows_allocatable,
)
from app.engine.running_batch import RunningBatch
from app.engine.token_ids import token_ids
from app.sizing.plan import resolve
from app.sizing.server_args import ServerArgs
from tests.engine.workloads import request


def test_ceil_page() -> None:
    assert [ceil_page(n, 16) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]


def test_request_limits_of_a_pool_smaller_than_the_context() -> None:
    plan = resolve(ServerArgs(max_total_tokens=4_096, context_length=131_072))
    assert plan.max_req_len == 4_095
    assert not input_too_long(4_089, plan)
    assert input_too_long(4_090, plan)
    # the pool's bound: 4096 - ceil(1000 to 16) - 16 - 1
    assert max_new_tokens(10_000, 1_000, plan) == 4_096 - 1_008 - 17
    assert max_new_tokens(50, 1_000, plan) == 50


@pytest.mark.parametrize(
    ("most", "running", "free", "expected"),
    [(8, 3, 9, 5), (8, 3, 2, 2), (8, 9, 4, 0), (8, 8, 0, 0)],
)
def test_rows_allocatable(most: int, running: int, free: int, expected: int) -> None:
    assert rows_allocatable(most, running, free) == expected


def budget(reclaimable: int, reserved: float = 0.0, chunk: int | None = None) -> PrefillBudget:
    return PrefillBudget(reclaimable, reserved, page=16, input_left=16_384, chunk_left=chunk)


def test_admission_future_test_is_strict_and_clips_the_output() -> None:
    assert not budget(1_000 + 4_096 + 16).admits(1_000, 9_000)
    assert budget(1_000 + 4_096 + 17).admits(1_000, 9_000)


def test_admission_present_test_counts_whole_pages() -> None:
    assert budget(112).holds(100)
    assert not budget(111).holds(100)


def test_admission_reserve_of_running_requests_counts() -> None:
    assert budget(500, reserved=0).admits(400, 50)
    assert not budget(500, reserved=100).admits(400, 50)


def test_admission_spend_reserves_a_page_and_the_clipped_output() -> None:
    one = budget(10_000)
    one.spend(100, 9_000)
    assert one.future == 10_000 - 112 - 16 - 4_096
    assert one.present == 10_000 - 112
    assert one.input_left == 16_384 - 112


def test_admission_chunk_is_cut_to_whole_pages() -> None:
    assert budget(9_999, chunk=500).chunk_of(1_000) == 496
    assert budget(9_999, chunk=500).chunk_of(490) == 490
    assert budget(9_999, chunk=None).chunk_of(90_000) == 90_000


def test_retract_order_is_shortest_output_then_longest_input() -> None:
    out, prompt = np.array([5, 2, 2, 9]), np.array([10, 10, 50, 10])
    assert retract_order(out, prompt) == [2, 1, 0, 3]


def test_new_token_ratio_decays_to_its_floor_and_resets() -> None:
    ratio = NewTokenRatio(1.0)
    assert ratio.current == pytest.approx(0.7)
    for _ in range(300):
        ratio.on_decode()
    assert ratio.current == pytest.approx((0.7 + 0.098) / 2)
    for _ in range(400):
        ratio.on_decode()
    assert ratio.current == pytest.approx(0.098)
    ratio.on_idle()
    assert ratio.current == pytest.approx(0.7)


def test_new_token_ratio_after_a_retraction() -> None:
    ratio = NewTokenRatio(1.0)
    ratio.on_retract(tokens_out=300, max_new_tokens=999, requests=10)
    assert ratio.current == pytest.approx((300 + 200) / 1_000)
    ratio.on_retract(tokens_out=5_000, max_new_tokens=999, requests=10)
    assert ratio.current == 1.0


def test_new_token_ratio_conservativeness_is_capped_at_one() -> None:
    assert NewTokenRatio(5.0).init == 1.0


def test_token_ids_are_equal_exactly_where_hashes_are() -> None:
    a = token_ids(request(0, 0, 130, hash_ids=(7, 8, 9), block_tokens=64), 140)
    b = token_ids(request(1, 0, 130, hash_ids=(7, 8, 5), block_tokens=64), 140)
    assert (a[:128] == b[:128]).all()
    assert (a[128:] != b[128:]).all()
    assert len(np.unique(np.concatenate((a, b)))) == 128 + 12 + 12


def test_token_ids_beyond_a_floored_hash_list_are_private() -> None:
    a = token_ids(request(0, 0, 100, hash_ids=(7,), block_tokens=64), 100)
    b = token_ids(request(1, 0, 100, hash_ids=(7,), block_tokens=64), 100)
    assert (a[:64] == b[:64]).all()
    assert (a[64:] != b[64:]).all()


def test_running_batch_keeps_order_and_values_when_some_leave() -> None:
    from app.engine.live_request import LiveRequest

    batch = RunningBatch()
    for rid in range(100):
        live = LiveRequest(request(rid), max_new=50 + rid)
        live.row, live.kv_len = rid + 1, rid * 10
        batch.join(live, last_loc=rid)
    batch.column("out")[:] += 3
    left = batch.leave([0, 50, 99])
    assert [live.rid for live in left] == [0, 50, 99]
    assert {live.out for live in left} == {3}
    assert batch.column("rid").tolist() == [r for r in range(100) if r not in (0, 50, 99)]
    assert batch.column("max_new").tolist() == [50 + r for r in batch.column("rid")]
    assert batch.crossing(16) == sum(r * 10 % 16 == 0 for r in batch.column("rid").tolist())
