"""Arguments of a call for several requests, looked at before anything is taken."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import InvalidSize

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]
#: owners are kept as int32
OWNER_MIN, OWNER_MAX = -(2**31), 2**31 - 1


def check_owner(owner: int) -> None:
    """Refuse what the cells could not hold.

    Raises:
        InvalidSize: outside int32.
    """
    if not OWNER_MIN <= owner <= OWNER_MAX:
        raise InvalidSize(f"owner {owner} does not fit into int32", owner=int(owner))


def batch_of(owners: Ints, **arrays: Ints) -> tuple[Ids, ...]:
    """The arrays in the order given and the owners last, as int64.

    Args:
        owners: request ids, shape (bs,).
        arrays: by the names that a message calls them, shape (bs,) each.

    Raises:
        InvalidSize: not one of each per request, or an owner outside int32.
    """
    batch = tuple(np.asarray(array, np.int64) for array in (*arrays.values(), owners))
    if any(array.shape != (len(batch[-1]),) for array in batch):
        shapes = zip((*arrays, "owners"), (array.shape for array in batch), strict=True)
        raise InvalidSize(
            "a batch takes one of each per request: "
            + ", ".join(f"{name} has shape {shape}" for name, shape in shapes),
            **{name: array.size for name, array in zip((*arrays, "owners"), batch, strict=True)},
        )
    # One comparison for both ends: seen as unsigned, whatever is too low is huge.
    shifted = (batch[-1] - OWNER_MIN).view(np.uint64)
    if shifted.size and int(shifted.max()) > OWNER_MAX - OWNER_MIN:
        check_owner(int(batch[-1][shifted > OWNER_MAX - OWNER_MIN][0]))
    return batch


def check_lengths(seq_lens: Ids) -> None:
    """Refuse lengths that do not count the new token.

    Raises:
        InvalidSize: a length below 1.
    """
    if seq_lens.size and seq_lens.min() < 1:
        at = int(seq_lens.argmin())
        raise InvalidSize(
            f"seq_lens must count the new token: request {at} of the batch has {seq_lens[at]}",
            index=at,
            seq_len=int(seq_lens[at]),
        )
