"""A small trace with bursts, in Mooncake's format."""

import json
from pathlib import Path


def bursts(path: Path, requests: int = 60) -> Path:
    """`requests` of 400 tokens in and 60 out, six at a time, every half second."""
    rows = [
        {
            "timestamp": 500 * (at // 6),
            "input_length": 400,
            "output_length": 60,
            "hash_ids": [at],
        }
        for at in range(requests)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
