"""Request rows as upstream keeps them: a Python list as stack, generations in a torch tensor."""

import torch


class Rows:
    """Rows 1 .. size, last in first out."""

    def __init__(self, size: int) -> None:
        self.free_rows = list(range(1, size + 1))
        self.generation = torch.zeros(size + 1, dtype=torch.int64)

    def alloc(self, count: int) -> list[int] | None:
        """`count` rows, or None."""
        if count > len(self.free_rows):
            return None
        rows = self.free_rows[-count:]
        self.free_rows = self.free_rows[:-count]
        self.generation[rows] += 1
        return rows

    def free(self, rows: list[int]) -> None:
        """Give rows back."""
        self.free_rows.extend(rows)
