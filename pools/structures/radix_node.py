"""One edge of the prefix tree with the tokens behind it."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
ChildKey: TypeAlias = bytes


class RadixNode:
    """A run of tokens that some requests share.

    Attributes:
        key: token ids of the edge, shape (n,), n a multiple of the page.
        value: KV token ids, shape (n,); None when only the host copy is left.
        host: host token ids, shape (n,), or None without a backup.
        lock_ref: requests that run on this node or below.
        last_access: the tree's logical clock.
        hit_count: inserts that shared this node.
        priority: highest of the requests that inserted it.
        depth_tokens: from the root to the end of this node.
        history_tokens: the greatest depth there ever was below this node.
    """

    __slots__ = (
        "children", "depth_tokens", "history_tokens", "hit_count", "host", "key", "last_access",
        "lock_ref", "parent", "priority", "value",
    )  # fmt: skip

    def __init__(self, key: Ids, value: Ids | None, parent: "RadixNode | None") -> None:
        self.key, self.value, self.parent = key, value, parent
        self.children: dict[ChildKey, RadixNode] = {}
        self.host: Ids | None = None
        self.lock_ref = 0
        self.last_access = 0
        self.hit_count = 0
        self.priority = 0
        self.depth_tokens: int = len(key) + (parent.depth_tokens if parent is not None else 0)
        self.history_tokens: int = self.depth_tokens

    def __len__(self) -> int:
        return len(self.key)

    @property
    def is_device_leaf(self) -> bool:
        """Holds KV tokens, and none of its children does."""
        if self.value is None or self.parent is None:
            return False
        return all(child.value is None for child in self.children.values())

    @property
    def is_host_leaf(self) -> bool:
        """Only a host copy, and nothing below it."""
        return self.value is None and self.host is not None and not self.children

    def split(self, at: int, page: int) -> "RadixNode":
        """Put a node for key[:at] above this one; returns it.

        parent -- [a b c d] -- self      becomes      parent -- [a b] -- upper -- [c d] -- self
        """
        upper = RadixNode(self.key[:at], None, self.parent)
        upper.lock_ref, upper.last_access = self.lock_ref, self.last_access
        upper.hit_count, upper.priority = self.hit_count, self.priority
        upper.history_tokens = self.history_tokens
        if self.value is not None:
            upper.value, self.value = self.value[:at], self.value[at:]
        if self.host is not None:
            upper.host, self.host = self.host[:at], self.host[at:]
        if self.parent is not None:
            self.parent.children[child_key(self.key, page)] = upper
        self.key = self.key[at:]
        upper.children[child_key(self.key, page)] = self
        self.parent = upper
        return upper

    def note_insert(self, priority: int, inserted_tokens: int) -> None:
        """A request inserted this node, after `inserted_tokens` that it was counted for before."""
        self.priority = max(self.priority, priority)
        self.hit_count += self.depth_tokens > inserted_tokens

    def raise_history(self) -> None:
        """The branch has grown to this node's depth: those above remember it."""
        above = self.parent
        while above is not None and above.history_tokens < self.depth_tokens:
            above.history_tokens = self.depth_tokens
            above = above.parent

    def detach(self, page: int) -> None:
        """Leave the tree."""
        if self.parent is not None:
            del self.parent.children[child_key(self.key, page)]
            self.parent = None


def child_key(key: Ids, page: int) -> ChildKey:
    """The first page of a key: what tells siblings apart."""
    return key[:page].tobytes()


def common_prefix(a: Ids, b: Ids, page: int) -> int:
    """Length of the shared prefix, floored to whole pages."""
    n = min(len(a), len(b))
    different = a[:n] != b[:n]
    first = int(different.argmax()) if different.any() else n
    return first - first % page
