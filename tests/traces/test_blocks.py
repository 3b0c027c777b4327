"""The block size: judged by every row."""

import numpy as np
import pytest

from app.traces.blocks import CANDIDATES, decide_blocks

INPUTS = np.array([1, 40, 700, 1024, 5000, 126_195], np.int64)


@pytest.mark.parametrize("size", CANDIDATES)
@pytest.mark.parametrize("rounding", ["ceil", "floor"])
def test_each_size_and_rounding_is_found(size: int, rounding: str) -> None:
    counts = -(-INPUTS // size) if rounding == "ceil" else INPUTS // size
    found = decide_blocks(INPUTS, counts, 512, None)
    assert (found.size, found.rounding, found.rivals) == (size, rounding, ())
    assert found.fits.all()


def test_rows_that_do_not_fit_the_majority_are_marked() -> None:
    counts = -(-INPUTS // 512)
    counts[2] += 1
    found = decide_blocks(INPUTS, counts, 512, None)
    assert found.size == 512
    assert found.fits.tolist() == [True, True, False, True, True, True]


def test_rows_that_cannot_tell_take_the_documented_size_and_name_the_others() -> None:
    inputs = np.array([3, 9, 16], np.int64)
    found = decide_blocks(inputs, np.ones(3, np.int64), 512, None)
    assert (found.size, found.rounding) == (512, "ceil")
    assert set(found.rivals) == set(CANDIDATES) - {512}


def test_an_override_judges_only_the_rounding() -> None:
    found = decide_blocks(INPUTS, INPUTS // 48, 512, 48)
    assert (found.size, found.rounding) == (48, "floor")
