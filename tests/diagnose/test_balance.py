"""Parts of pools in every layout, and the residual that no layout prints."""

from hypothesis import given
from hypothesis import strategies as st

from app.diagnose.balance import numbers_of, read_balances
from tests.diagnose.logs import parts

counts = st.integers(0, 10**9)


@given(counts, counts, counts, counts, counts)
def test_round_trip_of_todays_layout(
    total: int, available: int, evictable: int, protected: int, uncached: int
) -> None:
    text = parts(total, available, evictable, protected, uncached=uncached)
    (one,) = read_balances(text)
    assert one.residual == total - available - evictable - protected - uncached


def test_several_pools_are_named() -> None:
    text = parts(1_000, 990) + "\n" + parts(64, 60, pool="swa") + ", leaked_mamba_pages=None"
    numbers = numbers_of(read_balances(text))
    assert (numbers["full_residual"], numbers["swa_residual"]) == (10, 4)


def test_one_pool_needs_no_name() -> None:
    assert numbers_of(read_balances(parts(10, 9)))["residual"] == 1


def test_total_first() -> None:
    (one,) = read_balances(
        "self.max_total_num_tokens=1000, available_size=10, evictable_size=980, protected_size=3"
    )
    assert one.residual == 7


def test_the_oldest_layout_has_evictable_within_available() -> None:
    (one,) = read_balances(
        "available_size=990, protected_size=2, self.max_total_num_tokens=1000\n"
        "self.token_to_kv_pool_allocator.available_size()=40\nself.tree_cache.evictable_size()=950"
    )
    assert one.residual == 8


def test_hybrid() -> None:
    full, mamba = read_balances(
        "full_available_size=60, full_evictable_size=40, self.token_to_kv_pool_allocator.size=100, "
        "self.tree_cache.full_protected_size()=0\nmamba_available_size=5, mamba_evictable_size=3, "
        "self.req_to_token_pool.mamba_pool.size=9, self.tree_cache.mamba_protected_size()=0, "
        "leaked_mamba_pages={7}"
    )
    assert (full.residual, mamba.pool, mamba.residual) == (0, "mamba", 1)


def test_window_of_05() -> None:
    full, swa = read_balances(
        "self.full_tokens_per_layer=100, full_available_size=60, full_evictable_size=30, "
        "self.tree_cache.full_protected_size()=10\nself.swa_tokens_per_layer=50, "
        "swa_available_size=20, swa_evictable_size=31, self.tree_cache.swa_protected_size()=0"
    )
    assert (full.residual, swa.residual) == (0, -1)


def test_per_replica() -> None:
    (one,) = read_balances("[dp=0] expected=640, avail=600, evict=8, protected=0")
    assert one.residual == 32


def test_nothing_of_the_kind() -> None:
    assert read_balances("Decode batch, #running-req: 4, available_size=3") == ()
