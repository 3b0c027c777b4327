"""From token ids to the pages they lie in, without a sort where ids come in whole pages."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex

Ids = NDArray[np.int64]


def pages_of(ids: Ids, page_size: int) -> tuple[Ids, bool]:
    """The distinct pages of token ids, ascending.

    Args:
        ids: shape (n,), n > 0; rows of a request table, so mostly page after page.
        page_size: tokens per page.
    Returns:
        int64 pages, shape (m,), and whether every id is certain to be named once.
    """
    heads = ids[::page_size]
    whole = len(ids) // page_size
    table = ids[: whole * page_size].reshape(whole, page_size)
    rest = ids[whole * page_size :]
    in_order = (
        not (heads % page_size).any()
        and (table[:, 1:] - table[:, :-1] == 1).all()
        and (rest[1:] - rest[:-1] == 1).all()
    )
    named = (heads if in_order else ids) // page_size
    if (named[1:] > named[:-1]).all():
        return named, True
    pages = np.unique(named)
    return pages, bool(in_order) and len(pages) == len(named)


def check_whole_pages(ids: Ids, page_size: int) -> None:
    """Refuse ids that are not one whole page after another.

    Raises:
        ForeignIndex: naming the first id out of its place.
    """
    if page_size == 1:
        return
    whole = len(ids) - len(ids) % page_size
    pages = ids[:whole].reshape(-1, page_size)
    astray = pages != (pages[:, :1] // page_size) * page_size + np.arange(page_size)
    if not astray.any() and whole == len(ids):
        return
    token = int(pages[astray][0] if astray.any() else ids[whole])
    raise ForeignIndex(
        f"token {token} is not held as part of a whole page of {page_size}",
        token=token,
        page_size=page_size,
    )


def repeated_id(ids: Ids) -> int | None:
    """The lowest id that occurs more than once, if there is one."""
    ordered = np.sort(ids)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    return int(twice[0]) if twice.size else None


def check_segment(ids: Ids, page_size: int) -> None:
    """Refuse ids that do not begin on a page, or leave one in its middle; the last may be partial.

    Raises:
        ForeignIndex: naming the first that lies elsewhere.
    """
    bad = (ids - np.arange(len(ids))) % page_size != 0
    heads = ids[::page_size]
    bad |= np.repeat(heads, page_size)[: len(ids)] // page_size != ids // page_size
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ForeignIndex(
            f"token {ids[at]} at place {at} of a segment does not lie there in pages of "
            f"{page_size}; free takes ids in any order",
            token=int(ids[at]),
            index=at,
            page_size=page_size,
        )
