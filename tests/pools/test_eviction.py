"""Who goes first under each eviction policy, with parameters, and after splits."""

import numpy as np
import pytest

from pools.errors import InvalidSize
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.radix import Radix
from pools.structures.eviction import POLICIES, order_of
from pools.structures.lazy_heap import LazyHeap
from pools.structures.radix_node import RadixNode


def build(policy: str, **config: int) -> tuple[KvTokens, Radix]:
    kv = KvTokens(256)
    return kv, Radix(kv, 1, eviction_policy=policy, eviction_config=config)


def keep(tree: Radix, word: int, length: int, *, then: tuple[int, ...] = (), **how: int) -> None:
    """Insert `length` tokens of a word and `then`; duplicates are freed as a request would."""
    key = np.array([word] * length + list(then), np.int64)
    ids = tree.kv.alloc(len(key), 1)
    assert ids is not None
    present = tree.insert(key, ids, **how)
    tree.kv.free(ids[:present])


def victims(tree: Radix) -> list[int]:
    """Lengths of leaves in the order in which they go."""
    order = []
    while freed := tree.evict(1):
        order.append(freed)
    return order


def test_lru_goes_by_the_last_use() -> None:
    _, tree = build("lru")
    for word in (1, 2, 3):
        keep(tree, word, word)
    tree.match_prefix(np.array([1]))
    assert victims(tree) == [2, 3, 1]


def test_lfu_counts_inserts_and_not_matches() -> None:
    _, tree = build("lfu")
    keep(tree, 1, 1)
    for _ in range(2):
        keep(tree, 2, 2)
    for _ in range(5):
        tree.match_prefix(np.array([1]))
    assert victims(tree) == [1, 2]


def test_what_a_request_inserted_before_is_counted_once() -> None:
    """Chunks of one prompt: each insert goes over all that came before it."""
    _, tree = build("lfu")
    for done in (0, 2, 4):
        keep(tree, 1, done + 2, inserted_tokens=done)
    hits = []
    node = next(iter(tree.root.children.values()))
    while node is not None:
        hits.append((len(node), node.hit_count))
        node = next(iter(node.children.values()), None)
    assert hits == [(2, 1), (2, 1), (2, 1)]


def test_slru_protects_from_the_second_insert_on() -> None:
    _, tree = build("slru")
    for _ in range(2):
        keep(tree, 1, 1)
    keep(tree, 2, 2)
    for _ in range(3):
        keep(tree, 3, 3)
    keep(tree, 4, 4)
    assert victims(tree) == [2, 4, 1, 3], "seen once first, then the others, each by age"


def test_slru_threshold_is_a_parameter() -> None:
    _, tree = build("slru", protected_threshold=3)
    for _ in range(2):
        keep(tree, 1, 1)
    keep(tree, 2, 2)
    for _ in range(3):
        keep(tree, 3, 3)
    assert victims(tree) == [1, 2, 3]


def test_priority_goes_before_age() -> None:
    _, tree = build("priority")
    keep(tree, 1, 1, priority=5)
    keep(tree, 2, 2, priority=-1)
    keep(tree, 3, 3)
    assert victims(tree) == [2, 3, 1]


def test_a_shared_prefix_has_the_highest_priority_and_its_end_keeps_its_own() -> None:
    _, tree = build("priority")
    keep(tree, 1, 4, priority=1)
    keep(tree, 2, 2, priority=2)
    keep(tree, 1, 2, then=(9, 9, 9), priority=3)
    # [1 1] has 3 now, [1 1] behind it 1 as before, [9 9 9] has 3.
    shared = tree.root.children[np.array([1]).tobytes()]
    assert (len(shared), shared.priority) == (2, 3)
    assert sorted((len(child), child.priority) for child in shared.children.values()) == [
        (2, 1),
        (3, 3),
    ]
    keep(tree, 1, 1)
    assert victims(tree)[:2] == [2, 2], "the end of the first key, then the second key"


def test_tlru_without_parameters_is_lru() -> None:
    _, tree = build("tlru")
    for word in (1, 2, 3):
        keep(tree, word, word)
    tree.match_prefix(np.array([1]))
    assert victims(tree) == [2, 3, 1]


def test_tlru_gives_up_what_the_next_prefill_can_do_without() -> None:
    # A conversation of 10 tokens may prefill 6 of them: of what is cached, 4 are worth keeping.
    _, tree = build("tlru", threshold=6)
    keep(tree, 1, 4)
    keep(tree, 1, 10)
    keep(tree, 2, 5)
    tree.match_prefix(np.array([1] * 10))
    assert tree.evict(1) == 5, "of 5 tokens none is worth keeping, and it is the oldest"
    assert tree.evict(1) == 6, "the end of the conversation"
    keep(tree, 3, 7)
    tree.match_prefix(np.array([3]))
    tree.match_prefix(np.array([1] * 4))
    assert tree.evict(1) == 6, "[3] * 6 is safe to give up although [1] * 4 is older than it"
    assert len(tree.match_prefix(np.array([1] * 4)).indices) == 4


def test_tlru_remembers_how_long_a_trimmed_conversation_was() -> None:
    _, tree = build("tlru", threshold=4, next_prompt_estimate=1)
    keep(tree, 1, 3)
    keep(tree, 1, 6)
    keep(tree, 1, 9)
    # 9 + 1 - 4 = 6 are worth keeping: the last 3 go early, the 6 before them do not.
    keep(tree, 2, 12)
    node = tree.root.children[np.array([1]).tobytes()]
    assert node.history_tokens == 9
    assert tree.evict(1) == 3
    assert node.history_tokens == 9, "else it would be over its budget again, down to nothing"
    tree.match_prefix(np.array([1] * 6))
    assert tree.evict(1) == 12, "nothing of the first is safe to give up: by age"


def test_tlru_sees_a_leaf_that_a_split_made_shorter() -> None:
    _, tree = build("tlru", threshold=2)
    keep(tree, 2, 4)
    keep(tree, 1, 8)
    # 8 - 2 = 6 of the second are worth keeping, and its only node begins at 0. A match of 6 tokens
    # cuts it: the last 2 may go before the older first key.
    tree.match_prefix(np.array([1] * 6))
    assert tree.evict(1) == 2
    tree.audit()


def test_split_keeps_depths() -> None:
    _, tree = build("lru")
    keep(tree, 1, 8)
    keep(tree, 1, 3, then=(5, 5))
    depths = sorted((len(node), node.depth_tokens) for node in tree._walk())
    assert depths == [(2, 5), (3, 3), (5, 8)]


@pytest.mark.parametrize(
    ("policy", "config", "text"),
    [
        ("mru", {}, "use lru, lfu, slru, priority, tlru"),
        ("lru", {"threshold": 1}, "has no parameter 'threshold': it takes none"),
        ("slru", {"threshold": 1}, "it takes protected_threshold"),
        ("tlru", {"threshold": -1}, "threshold -1 is no whole number"),
        ("tlru", {"threshold": True}, "is no whole number"),
        ("slru", {"protected_threshold": 1.5}, "is no whole number"),
    ],
)
def test_a_policy_that_is_not_there_is_refused_by_name(
    policy: str, config: dict[str, int], text: str
) -> None:
    with pytest.raises(InvalidSize, match=text):
        Radix(KvTokens(8), 1, eviction_policy=policy, eviction_config=config)


def test_priority_below_zero_and_a_negative_history_are_numbers_like_others() -> None:
    _, tree = build("priority")
    keep(tree, 1, 1, priority=-(2**62))
    keep(tree, 2, 2, priority=2**62)
    assert victims(tree) == [1, 2]


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_the_heap_gives_the_order_of_a_fresh_sort(policy: str) -> None:
    """Against upstream's way: collect all leaves anew, take the least."""
    rng = np.random.default_rng(7)
    config = {"tlru": {"threshold": 5, "next_prompt_estimate": 1}}.get(policy, {})
    kv, tree = build(policy, **config)
    order = order_of(policy, config)
    for _ in range(600):
        word, length = int(rng.integers(3)), int(rng.integers(1, 9))
        key = np.array([word] * length + [int(rng.integers(5, 8))], np.int64)
        if rng.random() < 0.5:
            tree.match_prefix(key)
        elif kv.available_size() >= len(key):
            keep(tree, word, length, then=(int(key[-1]),), priority=int(rng.integers(4)))
        if rng.random() < 0.3:
            leaves = [node for node in tree._walk() if node.is_device_leaf]
            if leaves:
                least = min(order(node) for node in leaves)
                among = {len(node) for node in leaves if order(node) == least}
                assert tree.evict(1) in among
    tree.audit()
    kv.audit()
    assert tree.total_size() > 0


def test_the_heap_holds_a_node_once_however_often_it_is_unlocked() -> None:
    _, tree = build("lru")
    keep(tree, 1, 4)
    node = tree.match_prefix(np.array([1] * 4)).node
    for _ in range(100):
        tree.inc_lock_ref(node)
        tree.dec_lock_ref(node)
    assert len(tree._leaves) == 1
    assert victims(tree) == [4]


def test_a_heap_forgets_what_is_no_candidate() -> None:
    node = RadixNode(np.arange(3), np.arange(3), None)
    wanted = [node]
    heap = LazyHeap(lambda one: one.last_access, lambda one: one in wanted)
    heap.push(node)
    wanted.clear()
    assert heap.pop() is None
    wanted.append(node)
    heap.push(node)
    assert heap.pop() is node
