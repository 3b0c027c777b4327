"""What a pool host is told at its start, as one JSON document. Imports without torch."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.sizing.server_args import ServerArgs
from app.traces.options import ReadOptions

DEFAULT_SCENARIO = "first-minute"
MAX_SPEED = float("inf")


@dataclass(frozen=True, slots=True)
class HostConfig:
    """Everything that a pool host needs besides its connection.

    With `lab` the host drives no workload: it runs the catalog's cases on request.
    `speed` is simulated seconds per wall second, `inf` for as fast as it goes. `trace` wins over
    `scenario`; `reading` says how it, and what `load` names in `trace_dir`, is to be read.
    """

    name: str = "local"
    server: ServerArgs = field(default_factory=ServerArgs)
    scenario: str = DEFAULT_SCENARIO
    trace: Path | None = None
    trace_dir: Path | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    speed: float = 1.0
    lab: bool = False
    sample_hz: float = 20.0

    def to_json(self) -> str:
        """The document that `from_json` reads; infinity travels as "max"."""
        data: dict[str, Any] = dataclasses.asdict(self)
        data["speed"] = "max" if self.speed == MAX_SPEED else self.speed
        return json.dumps(data, default=str)

    @classmethod
    def from_json(cls, text: str) -> "HostConfig":
        """Rebuild a config.

        Raises:
            ValueError: not a config; the text says what is wrong.
        """
        data = json.loads(text)
        data["server"] = ServerArgs(**data["server"])
        data["reading"] = ReadOptions(**data["reading"])
        data["speed"] = parse_speed(data["speed"])
        for key in ("trace", "trace_dir"):
            data[key] = Path(data[key]) if data[key] else None
        return cls(**data)


def parse_speed(value: object) -> float:
    """Read a speed: a positive number of simulated seconds per wall second, or "max".

    Raises:
        ValueError: anything else, with what is accepted.
    """
    if value == "max":
        return MAX_SPEED
    try:
        speed = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        speed = -1.0
    if isinstance(value, bool) or not 0.0 < speed <= 1e6:
        raise ValueError(f'speed {value!r}: give a number above 0 (1 is real time) or "max"')
    return speed
