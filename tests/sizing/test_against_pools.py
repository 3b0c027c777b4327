"""The sizes that a plan foretells are those of the pools built from it."""

from app.sizing import rules
from app.sizing.plan import resolve
from app.sizing.server_args import EVICTION_POLICIES, ServerArgs
from pools.kinds.host_logical import HostLogical
from pools.kinds.mm_feature import MmFeature
from pools.kinds.request_slots import RequestSlots
from pools.structures.eviction import POLICIES
from pools.structures.kv_buffers import KvBuffers

PLAN = resolve(
    ServerArgs(
        max_running_requests=24,
        max_total_tokens=5000,
        context_length=300,
        page_size=64,
        chunked_prefill_size=512,
        mm_feature_cache_mb=2,
        mm_consumers=3,
    )
)


def test_the_request_table_takes_the_modelled_bytes() -> None:
    table = RequestSlots(PLAN.rows, PLAN.table_columns).req_to_token
    assert table.numel() * table.element_size() == PLAN.modelled_table_bytes


def test_the_kv_buffers_take_the_counted_bytes() -> None:
    buffers = KvBuffers(PLAN.kv_tokens + PLAN.page_size)
    assert buffers.nbytes == rules.kv_buffer_bytes(PLAN.kv_tokens, PLAN.page_size)


def test_the_feature_pool_has_the_foretold_room_for_data() -> None:
    row = next(row for row in PLAN.ledger if row.name == "feature data")
    pool = MmFeature(PLAN.mm_bytes, PLAN.args.mm_consumers)
    assert pool.snapshot(0.0).capacity == row.effective


def test_the_host_pool_takes_the_planned_size() -> None:
    pool = HostLogical(PLAN.host_tokens, PLAN.page_size)
    assert pool.available_size() == PLAN.host_tokens


def test_flags_accept_the_eviction_policies_that_the_tree_has() -> None:
    assert set(EVICTION_POLICIES) == set(POLICIES)
