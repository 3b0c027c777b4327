"""How much of the prompts was seen before: the prefixes of a file, in bounded memory."""

from collections.abc import Sequence

#: prefixes that are told apart, some 150 MB; rows beyond them are not judged
MAX_PREFIXES = 1_000_000
NOT_JUDGED = -1


class Sharing:
    """Leading chains of hash ids, as an infinite cache in the file's order would see them.

    Attributes:
        full: whether rows came after the memory for prefixes was used up.
    """

    def __init__(self, max_prefixes: int = MAX_PREFIXES) -> None:
        self.full = False
        self._max = max_prefixes
        self._prefixes: set[int] = set()
        self._ids: set[int] = set()

    def take(self, hash_ids: Sequence[int]) -> int:
        """Note a prompt; how many of its leading blocks were seen before, behind the same blocks.

        Returns:
            the count, NOT_JUDGED when the memory for prefixes is used up.
        """
        if len(self._prefixes) >= self._max:
            self.full = True
            return NOT_JUDGED
        prefixes, chain, hits = self._prefixes, 0, 0
        fresh = False
        for one in hash_ids:
            # 64 bits of the whole chain up to here; integers hash alike in every run
            chain = hash((chain, one))
            if not fresh:
                fresh = chain not in prefixes
                hits += not fresh
            if fresh:
                prefixes.add(chain)
        self._ids.update(hash_ids)
        return hits

    @property
    def chained(self) -> bool:
        """Whether every id had the same blocks before it wherever it came."""
        return len(self._ids) == len(self._prefixes)
