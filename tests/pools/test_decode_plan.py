"""Where the tokens of several decode steps go, against a loop over steps and requests."""

import numpy as np

from pools.structures.decode_plan import DecodePlan

PAGE = 4


def test_several_decode_steps_equal_the_loop() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        batch, steps = int(rng.integers(1, 5)), int(rng.integers(1, 12))
        lengths = rng.integers(0, 14, batch)
        last = 1000 + 40 * np.arange(batch) + (lengths - 1) % PAGE
        plan = DecodePlan.of(lengths, steps, PAGE)
        count = int(plan.crosses.sum())
        pages, owners = rng.permutation(200)[:count], 50 + np.arange(batch)
        left, took = pages.tolist(), []
        expected = np.empty((steps, batch), np.int64)
        now = last.copy()
        for step in range(steps):
            for request in range(batch):
                if (lengths[request] + step) % PAGE == 0:
                    now[request] = left.pop(0) * PAGE
                    took.append(50 + request)
                else:
                    now[request] += 1
            expected[step] = now
        assert left == []
        assert plan.tokens(last, pages, PAGE).tolist() == expected.tolist()
        assert plan.owners(owners).tolist() == took


def test_pages_are_taken_step_by_step() -> None:
    plan = DecodePlan.of(np.array([3, 4]), 3, PAGE)
    assert plan.positions.tolist() == [[3, 4], [4, 5], [5, 6]]
    assert plan.crosses.tolist() == [[False, True], [True, False], [False, False]]
    assert plan.owners(np.array([7, 9])).tolist() == [9, 7]
    got = plan.tokens(np.array([10, 15]), np.array([5, 6]), PAGE)
    assert got.tolist() == [[11, 20], [24, 21], [25, 22]]
