"""A conversation trace of our own making, for machines without the real one."""

import json
import random
from pathlib import Path

BLOCK = 512
TURNS = 4
GAP_MS = 60


def write_sample(path: Path, requests: int, seed: int = 0) -> None:
    """Sessions of four turns, each turn's prompt repeating the one before, as Mooncake JSON Lines.

    Args:
        path: file to write.
        requests: rows, a multiple of the turns.
        seed: the same seed gives the same bytes.
    """
    rng = random.Random(seed)
    rows, fresh = [], 1
    for session in range(requests // TURNS):
        at_ms = session * GAP_MS * TURNS
        hash_ids, length = [0], BLOCK
        for _ in range(TURNS):
            blocks = rng.randint(2, 16)
            hash_ids = [*hash_ids, *range(fresh, fresh + blocks)]
            fresh += blocks
            length += blocks * BLOCK
            output = rng.randint(32, 640)
            rows.append((at_ms, length, output, hash_ids))
            at_ms += rng.randint(5_000, 60_000)
    with path.open("w") as file:
        for at_ms, length, output, hash_ids in sorted(rows):
            row = {"timestamp": at_ms, "input_length": length, "output_length": output}
            file.write(json.dumps(row | {"hash_ids": hash_ids}) + "\n")
