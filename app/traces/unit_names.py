"""Units that timestamps come in."""

NS_PER_TICK = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "datetime": 1, "none": 1}
#: those that a reader may name
WORDS = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}
