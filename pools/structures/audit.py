"""One way for books to say that they differ."""

from collections.abc import Mapping

from pools.errors import IntegrityError


def compare(pool: str, books: Mapping[str, tuple[object, object]]) -> None:
    """Check that each pair (as kept, as counted anew) is equal.

    Raises:
        IntegrityError: naming the first book that differs, with both values.
    """
    for book, (kept, counted) in books.items():
        if kept != counted:
            raise IntegrityError(f"{pool}: {book}: kept {kept}, counted {counted}")
