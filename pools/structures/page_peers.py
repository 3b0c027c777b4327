"""Which page of a sliding-window pool stands beside each page of the full pool."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import DoubleFree, IntegrityError

Ids = NDArray[np.int64]


class PagePeers:
    """One peer per full page, 0 for none; page 0 is padding on both sides."""

    def __init__(self, num_pages: int, page_size: int) -> None:
        """Nobody has a peer."""
        self._peer = np.zeros(num_pages + 1, np.int64)
        self._page = page_size
        self.paired = 0

    def pair(self, full_ids: Ids, swa_ids: Ids) -> None:
        """Token ids that were taken together, shape (n,) each; their pages are peers."""
        pages = full_ids // self._page
        self.paired += len(np.unique(pages[self._peer[pages] == 0]))
        self._peer[pages] = swa_ids // self._page

    def translate(self, full_ids: Ids) -> Ids:
        """Sliding-window token ids, int64 (n,); of tokens without a peer, and of -1, 0 and -1."""
        peers = self._peer[full_ids // self._page]
        ids: Ids = np.where(peers > 0, peers * self._page + full_ids % self._page, 0)
        ids[full_ids < 0] = -1
        return ids

    def pages_of(self, full_ids: Ids) -> Ids:
        """Distinct full pages of these tokens that have a peer, in order of first naming."""
        pages = full_ids // self._page
        _, first = np.unique(pages, return_index=True)
        pages = pages[np.sort(first)]
        return pages[self._peer[pages] > 0]

    def check_paired(self, full_ids: Ids) -> None:
        """Refuse to give back what has gone.

        Raises:
            DoubleFree: a token whose page has no peer any more.
        """
        gone = self._peer[full_ids // self._page] == 0
        if gone.any():
            token = int(full_ids[gone][0])
            raise DoubleFree(
                f"token {token} has no sliding-window peer any more; {int(gone.sum())} of "
                f"{len(full_ids)} have none",
                token=token,
                num_bad=int(gone.sum()),
                num_tokens=len(full_ids),
            )

    def part(self, pages: Ids) -> Ids:
        """Full pages lose their peers; the peers' token ids, whole pages, int64."""
        peers = self._peer[pages]
        self._peer[pages] = 0
        self.paired -= len(pages)
        ids: Ids = (peers[:, None] * self._page + np.arange(self._page)).ravel()
        return ids

    def clear(self) -> None:
        """Nobody has a peer."""
        self._peer[:] = 0
        self.paired = 0

    def audit(self, full_held: NDArray[np.bool_], swa_held: NDArray[np.bool_]) -> None:
        """Compare pairs with both pools; arrays of shape (pages + 1,) say which pages are taken.

        Raises:
            IntegrityError: naming what differs.
        """
        pages = np.flatnonzero(self._peer)
        peers = self._peer[pages]
        if len(pages) != self.paired:
            raise IntegrityError(f"pairs: {len(pages)} by page, {self.paired} counted")
        if len(np.unique(peers)) != len(peers):
            raise IntegrityError("a sliding-window page is the peer of two full pages")
        if not full_held[pages].all():
            raise IntegrityError("a full page has a peer, but is free")
        if not np.array_equal(np.flatnonzero(swa_held), np.sort(peers)):
            raise IntegrityError("sliding-window pages taken and pages that are peers differ")
