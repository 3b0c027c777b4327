"""The prefix tree over paged KV with a host tier, driven as a scheduler does."""

import numpy as np

from pools.errors import ForeignIndex, IntegrityError
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.radix import Radix
from pools.structures.kv_buffers import KvBuffers
from pools.structures.prefix_tree import Match
from tests.pools.machines.conserved import Amounts, Conserved
from tests.pools.machines.draws import (
    Drawing,
    booleans,
    data,
    integers,
    lists,
    rule,
    sampled_from,
)

PAGES, PAGE = 24, 2
#: few words, so that prompts share prefixes
PROMPT = lists(integers(0, 2), 1, 14)


class Tree(Conserved):
    """Requests match, lock, extend, decode, and finish into the tree or abort."""

    def __init__(self) -> None:
        super().__init__()
        self.kv = KvPages(PAGES * PAGE, PAGE, buffers=KvBuffers((PAGES + 1) * PAGE))
        self.host = HostLogical(16 * PAGE, PAGE)
        self.tree = Radix(self.kv, PAGE, host=self.host)
        self.pools = [self.kv, self.tree, self.host]
        #: request -> (tokens of its prompt so far, token ids, its match)
        self.running: dict[int, tuple[list[int], list[int], Match]] = {}
        #: locks from before a clear
        self.stale: list[Match] = []
        self.next = 1

    def own(self, ids: list[int], match: Match) -> set[int]:
        """Pages that a request holds beside what it shares."""
        return {token // PAGE for token in ids[len(match.indices) :]}

    def model(self) -> Amounts:
        held = sum(len(self.own(ids, match)) for _, ids, match in self.running.values())
        evictable, protected = self.tree.evictable_size(), self.tree.protected_size()
        shared = {
            token // PAGE
            for _, ids, match in self.running.values()
            for token in ids[: len(match.indices)]
        }
        assert protected == len(shared) * PAGE, "protected is what requests run on"
        copies = sum(len(node) for node in self.tree._walk() if node.host is not None)
        return {
            "kv_pages": {
                "available": PAGES - held - (evictable + protected) // PAGE,
                "evictable": evictable // PAGE,
                "protected": protected // PAGE,
                "held": held,
            },
            "radix": {"evictable": evictable, "protected": protected},
            "host_logical": {"available": self.host.size - copies, "held": copies},
        }

    @rule(prompt=PROMPT)
    def admit(self, prompt: list[int]) -> None:
        key = np.array(prompt, np.int64)
        match = self.tree.load_back(self.tree.match_prefix(key[: len(key) - 1]))
        prefix = len(match.indices)
        assert prefix % PAGE == 0
        assert prefix < len(prompt)
        self.tree.inc_lock_ref(match.node)
        owner, self.next = self.next, self.next + 1
        last = int(match.indices[-1]) if prefix else -1
        arguments = [np.array([n]) for n in (prefix, len(prompt), last, owner)]
        got = self.kv.alloc_extend(*arguments)
        if got is None:
            self.tree.evict(len(prompt) - prefix + PAGE)
            got = self.kv.alloc_extend(*arguments)
        if got is None:
            self.tree.dec_lock_ref(match.node)
            return
        held = {u for _, ids, m in self.running.values() for u in ids[len(m.indices) :]}
        assert held.isdisjoint(got.tolist()), "handed out while another request holds it"
        self.running[owner] = (list(prompt), match.indices.tolist() + got.tolist(), match)

    @rule(drawing=data(), word=integers(0, 2))
    def decode(self, drawing: Drawing, word: int) -> None:
        if not self.running:
            return
        owner = drawing.draw(sampled_from(sorted(self.running)))
        prompt, ids, _ = self.running[owner]
        arguments = [np.array([n]) for n in (len(ids) + 1, ids[-1], owner)]
        got = self.kv.alloc_decode(*arguments)
        if got is None:
            self.tree.evict(PAGE)
            got = self.kv.alloc_decode(*arguments)
        if got is not None:
            prompt.append(word)
            ids.append(int(got[0]))

    @rule(drawing=data(), backup=booleans())
    def finish(self, drawing: Drawing, backup: bool) -> None:
        if not self.running:
            return
        owner = drawing.draw(sampled_from(sorted(self.running)))
        prompt, ids, match = self.running.pop(owner)
        key, indices = np.array(prompt, np.int64), np.array(ids, np.int64)
        whole = len(key) - len(key) % PAGE
        present = self.tree.insert(key, indices, owner)
        doubles = indices[len(match.indices) : present]
        rest = indices[whole:]
        self.kv.free(np.concatenate((doubles, rest)))
        self.tree.dec_lock_ref(match.node)
        after = self.tree.match_prefix(key[:whole])
        assert len(after.indices) == whole, "what was inserted can be matched"
        if backup:
            self.tree.back_up(after.node)

    @rule(drawing=data())
    def abort(self, drawing: Drawing) -> None:
        if self.running:
            owner = drawing.draw(sampled_from(sorted(self.running)))
            _, ids, match = self.running.pop(owner)
            self.kv.free(np.array(ids[len(match.indices) :]))
            self.tree.dec_lock_ref(match.node)

    @rule(tokens=integers(0, 20))
    def evict(self, tokens: int) -> None:
        could = self.tree.evictable_size()
        free = self.kv.available_size()
        freed = self.tree.evict(tokens)
        assert freed >= min(tokens, could)
        assert self.kv.available_size() == free + freed

    @rule(tokens=integers(0, 8))
    def evict_host(self, tokens: int) -> None:
        self.tree.evict_host(tokens)

    @rule()
    def unlock_what_is_not_locked(self) -> None:
        if self.running:
            return
        for node in self.tree.root.children.values():
            self.unchanged(lambda node=node: self.tree.dec_lock_ref(node), IntegrityError)  # type: ignore[misc]

    @rule(prompt=PROMPT, start=sampled_from([-1, 0, PAGES + 1, 10_000]))
    def insert_pages_of_nobody(self, prompt: list[int], start: int) -> None:
        key = np.array([9, 9, *prompt], np.int64)
        indices = np.arange(len(key)) + start * PAGE
        self.unchanged(lambda: self.tree.insert(key, indices), ForeignIndex)

    @rule(rarely=True)
    def clear_under_live_locks(self) -> None:
        self.stale = [match for _, _, match in self.running.values() if len(match.indices)]
        self.running.clear()
        for pool in (self.tree, self.kv, self.host):
            pool.clear()

    @rule(drawing=data())
    def unlock_from_before_a_clear(self, drawing: Drawing) -> None:
        if self.stale:
            node = drawing.draw(sampled_from(self.stale)).node
            self.unchanged(lambda: self.tree.dec_lock_ref(node), ForeignIndex)
            self.unchanged(lambda: self.tree.inc_lock_ref(node), ForeignIndex)

    def teardown(self) -> None:
        for owner in list(self.running):
            _, ids, match = self.running.pop(owner)
            self.kv.free(np.array(ids[len(match.indices) :]))
            self.tree.dec_lock_ref(match.node)
        assert self.tree.protected_size() == 0
        self.tree.evict(PAGES * PAGE)
        assert self.kv.available_size() == PAGES * PAGE, "nothing is lost at the end"
