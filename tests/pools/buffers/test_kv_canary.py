"""The canary's capacities by flags, what it finds, and the two messages."""

import pytest
import torch

from pools.buffer_errors import KvCanaryBatchExceedsCapacity, KvCanaryTokensExceedCapacity
from pools.buffers.kv_canary import CanaryCapacities, KvCanary
from pools.errors import ForeignIndex, InvalidSize


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


@pytest.mark.parametrize(
    ("flags", "requests", "tokens"),
    [
        ({}, 256, 16384),
        ({"chunked_prefill_size": 8192}, 256, 8192),
        ({"chunked_prefill_size": -1}, 256, 16384),
        ({"chunked_prefill_size": 32768}, 256, 16384),
        ({"cuda_graph_max_bs": 512}, 512, 16384),
        ({"cuda_graph_max_bs": 200}, 256, 16384),
        ({"num_draft_tokens": 100}, 256, 25600),
        ({"chunked_prefill_size": 0}, 256, 256),
    ],
)
def test_capacities_follow_the_flags(flags: dict[str, int], requests: int, tokens: int) -> None:
    found = CanaryCapacities.from_args(rows=256, max_prefill_tokens=16384, **flags)
    assert (found.write_req, found.write_entry) == (requests, tokens)


def test_marks_tell_what_was_written_and_what_is_not() -> None:
    canary = KvCanary(16, CanaryCapacities(4, 8))
    canary.write(ints(1), ints(3, 4, 9), ints(70, 71, 72), ints(0, 1, 2))
    assert canary.differing(ints(3, 4, 9), ints(70, 71, 72), ints(0, 1, 2)).tolist() == []
    assert canary.differing(ints(3, 4), ints(70, 99), ints(0, 1)).tolist() == [4]
    assert canary.differing(ints(9), ints(72), ints(3)).tolist() == [9]
    canary.write(ints(2), ints(4), ints(5), ints(0))
    assert canary.differing(ints(3, 4, 9), ints(70, 71, 72), ints(0, 1, 2)).tolist() == [4]


def test_messages_at_one_beyond_and_nothing_is_marked() -> None:
    canary = KvCanary(64, CanaryCapacities(2, 4))
    full = ints(0, 1, 2, 3)
    canary.write(ints(1, 2), full, full, full)
    before = canary.marks.clone()
    with pytest.raises(KvCanaryBatchExceedsCapacity) as batch:
        canary.write(ints(1, 2, 3), full, full + 1, full)
    assert batch.value.numbers == {"batch_size": 3, "write_req_capacity": 2}
    five = ints(0, 1, 2, 3, 4)
    with pytest.raises(KvCanaryTokensExceedCapacity) as tokens:
        canary.write(ints(1), five, five + 1, five)
    assert tokens.value.numbers == {"num_tokens": 5, "write_entry_capacity": 4}
    assert torch.equal(canary.marks, before)


def test_batch_is_tested_before_tokens_as_upstream() -> None:
    canary = KvCanary(64, CanaryCapacities(1, 1))
    with pytest.raises(KvCanaryBatchExceedsCapacity):
        canary.write(ints(1, 2), ints(1, 2), ints(1, 2), ints(1, 2))


def test_misuse_is_refused_and_marks_nothing() -> None:
    canary = KvCanary(8, CanaryCapacities(4, 8))
    before = canary.marks.clone()
    for slots, error in ((ints(8), ForeignIndex), (ints(-1), ForeignIndex), (ints(), InvalidSize)):
        with pytest.raises(error):
            canary.write(ints(1), slots, ints(1), ints(0))
        with pytest.raises(error):
            canary.differing(slots, ints(1), ints(0))
    assert torch.equal(canary.marks, before)
    canary.write(ints(), ints(), ints(), ints())


def test_sizes_that_cannot_be() -> None:
    for slots, sizes in ((0, (1, 1)), (1, (0, 1)), (1, (1, -1))):
        with pytest.raises(InvalidSize):
            KvCanary(slots, CanaryCapacities(*sizes))
    for wrong in ({"rows": 0}, {"max_prefill_tokens": -1}, {"num_draft_tokens": -1}):
        with pytest.raises(InvalidSize):
            CanaryCapacities.from_args(**{"rows": 1, "max_prefill_tokens": 1, **wrong})
    assert KvCanary(8, CanaryCapacities(4, 8)).nbytes == 8 * 24 + 4 * 8 + 8 * 24
