"""Blocks as vLLM keeps them: an object per block, free ones in a doubly linked queue."""


class Block:
    """One block: its id, how many use it, its neighbours in the queue of free ones."""

    __slots__ = ("after", "before", "block_id", "ref_cnt")

    def __init__(self, block_id: int) -> None:
        self.block_id, self.ref_cnt = block_id, 0
        self.before: Block | None = None
        self.after: Block | None = None


class BlockQueue:
    """Blocks 0 .. count - 1, least recently freed first; any one can leave the queue in O(1)."""

    def __init__(self, count: int) -> None:
        self.blocks = [Block(block_id) for block_id in range(count)]
        self.num_free = count
        self._head, self._tail = Block(-1), Block(-1)
        self._head.after, self._tail.before = self._tail, self._head
        self._append(self.blocks)

    def alloc(self, count: int) -> list[Block] | None:
        """The first blocks of the queue, each used once, or None."""
        if count > self.num_free:
            return None
        taken = []
        block = self._head.after
        for _ in range(count):
            if block is None:
                raise RuntimeError("the queue is shorter than its count")
            block.ref_cnt += 1
            taken.append(block)
            block = block.after
        for block_taken in taken:
            block_taken.before = block_taken.after = None
        self._head.after = block
        if block is not None:
            block.before = self._head
        self.num_free -= count
        return taken

    def free(self, blocks: list[Block]) -> None:
        """One user less; blocks without users go to the end of the queue."""
        unused = []
        for block in blocks:
            block.ref_cnt -= 1
            if block.ref_cnt == 0:
                unused.append(block)
        self._append(unused)
        self.num_free += len(unused)

    def _append(self, blocks: list[Block]) -> None:
        last = self._tail.before
        for block in blocks:
            block.before = last
            if last is not None:
                last.after = block
            last = block
        if last is not None:
            last.after = self._tail
        self._tail.before = last
