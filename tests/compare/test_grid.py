"""Lists of flag values become cells; what does not fit is named."""

import pytest

from app.compare.grid import GridError, cells_of
from app.sizing.server_args import ServerArgs


def test_cells_are_all_combinations_in_order() -> None:
    cells = cells_of(
        ServerArgs(), {"--max-running-requests": ["8", "auto"], "--page-size": ["1", "64"]}
    )
    assert [cell.label for cell in cells] == [
        "--max-running-requests 8 --page-size 1",
        "--max-running-requests 8 --page-size 64",
        "--max-running-requests auto --page-size 1",
        "--max-running-requests auto --page-size 64",
    ]
    assert cells[2].server.max_running_requests is None
    assert cells[3].server.page_size == 64
    assert cells[3].server.context_length == ServerArgs().context_length


def test_a_value_given_twice_is_one_cell() -> None:
    assert len(cells_of(ServerArgs(), {"--page-size": ["16", "16", "1"]})) == 2


@pytest.mark.parametrize(
    ("lists", "named"),
    [
        ({"--pagesize": ["1"]}, "did you mean '--page-size'"),
        ({"--page-size": ["x"]}, "--page-size 'x': give a number"),
        ({"--disable-radix-cache": ["maybe"]}, "true or false"),
        ({"--page-size": [str(n) for n in range(1, 300)]}, "too many"),
    ],
)
def test_a_grid_that_cannot_be_run_is_refused(lists: dict[str, list[str]], named: str) -> None:
    with pytest.raises(GridError, match=named):
        cells_of(ServerArgs(), lists)
