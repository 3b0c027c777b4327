"""Every coded error of the side pools prints what its entry recognises, numbers and all."""

import pytest

from app.catalog.match import match
from pools import buffer_errors as fixed
from pools import side_errors as errors
from pools.errors import PoolError

RAISED: list[tuple[PoolError, dict[str, object]]] = [
    (
        errors.MambaSlotsExhausted(24, 0, 3),
        {"mid": "None", "slots": 24, "available_slots": 0, "reqs": 3},
    ),
    (errors.MambaPingPongExhausted(2, 1), {}),
    (errors.MambaDoubleFree(7), {}),
    (errors.HostUnsupportedLayout("page_head"), {"layout": "page_head"}),
    (errors.HostKvAllocUnaligned(65, 64), {}),
    (errors.HostKvDoubleFree([3, 4], 8), {"slots": "[3, 4]"}),
    (errors.HostKvDoubleAlloc([3], 8), {"slots": "[3]"}),
    (errors.HostTokenCapacityUnaligned(65, 64), {"size": 65, "page_size": 64}),
    (
        errors.SwaPoolTooSmall(128, 112, 16),
        {"swa_tokens": 128, "sliding_window_size": 112, "page_size": 16},
    ),
    (
        errors.LoraRankIncompatible("sql-r64", 64, 16),
        {"lora_name": "sql-r64", "rank": 64},
    ),
    (errors.LoraPinWouldStarve("sql", 7, 8), {"lora_name": "sql"}),
    (errors.LoraNoBufferSlot(8, 9, 0), {}),
    (
        fixed.KvCanaryBatchExceedsCapacity(257, 256),
        {"batch_size": 257, "write_req_capacity": 256},
    ),
    (
        fixed.KvCanaryTokensExceedCapacity(9000, 8192),
        {"num_tokens": 9000, "write_entry_capacity": 8192},
    ),
    (
        fixed.PdTopLogprobsExceedsMetadata(129, 128),
        {"top_logprobs_num": 129, "max_top_logprobs_num": 128},
    ),
    (
        fixed.DflashReqToTokenEmpty("DFLASH req_to_token segment gather"),
        {"context": "DFLASH req_to_token segment gather"},
    ),
    (
        fixed.DflashGatherShape("DFLASH gather", (2, 3), (2, 4)),
        {"context": "DFLASH gather", "mask": "(2, 4)", "positions": "(2, 3)"},
    ),
    (fixed.DflashGatherShape("DFLASH gather", (3,), None), {"positions": "(3,)"}),
]
SHOWN = [type(error).__name__ for error, _ in RAISED]


@pytest.mark.parametrize(("error", "numbers"), RAISED, ids=SHOWN)
def test_text_is_recognised_whole(error: PoolError, numbers: dict[str, object]) -> None:
    found = match(f"RuntimeError: {error}\n")
    assert [one.entry.code for one in found] == [error.code]
    assert found[0].entry.exception in {base.__name__ for base in type(error).__mro__}
    assert numbers.items() <= found[0].numbers.items()


def test_no_side_error_is_left_out() -> None:
    defined = {
        name
        for name, cls in (*vars(errors).items(), *vars(fixed).items())
        if isinstance(cls, type) and issubclass(cls, PoolError) and cls is not PoolError
    }
    assert defined == set(SHOWN)
