"""Encoding and decoding the cells of a pool of 10^6, as multiples of copying the same bytes."""

from collections.abc import Iterator

import numpy as np

from app.wire.frame import decode, encode
from benchmarks.figure import Figure, short_time
from benchmarks.timing import medians

CELLS = 1_000_000
HEADER = {"kind": "keyframe", "host": "local", "epoch": 1, "seq": 1, "pool": "kv_pages"}
#: an encode copies each array out and joins them: two copies, and the new memory they go to
MOST_ENCODE, MOST_DECODE = 4.0, 0.05


def bench() -> Iterator[Figure]:
    """A full keyframe, then a delta of 1 % of the cells."""
    rng = np.random.default_rng(0)
    arrays = {
        "state": rng.integers(0, 5, CELLS, np.uint8),
        "generation": rng.integers(0, 1000, CELLS, np.uint32),
        "owner": rng.integers(-1, 4000, CELLS, np.int32),
    }
    yield from measured("10^6 cells", arrays, with_targets=True)
    slots = np.sort(rng.choice(CELLS, CELLS // 100, replace=False)).astype(np.uint32)
    delta = {"kv_pages/slots": slots} | {f"kv_pages/{k}": a[slots] for k, a in arrays.items()}
    yield from measured("delta of 10^4 cells", delta, with_targets=False)


def measured(name: str, arrays: dict[str, np.ndarray], *, with_targets: bool) -> Iterator[Figure]:
    """Encode and decode of one message."""
    message = encode(HEADER, arrays)
    copied = np.frombuffer(message, np.uint8)
    encoding, decoding, copying = medians(
        lambda: encode(HEADER, arrays), lambda: decode(message), copied.copy
    )
    note = f"of {len(message):,} bytes, whose copy takes {short_time(copying)}"
    for verb, taken, most in (
        ("encode", encoding, MOST_ENCODE),
        ("decode", decoding, MOST_DECODE),
    ):
        yield Figure(
            f"{verb} {name}",
            taken / copying,
            "x",
            target=most if with_targets else None,
            bound="at most",
            note=f"{short_time(taken)} {note}",
        )


BENCH = bench
