"""The latest state of every host, as its frames left it. Torch-free; one event loop owns it.

Each cell is stamped with the seq of its last change, so the delta from any base (a slow viewer, a
resumed one) is one comparison.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.hub.history import History
from app.wire.frame import Arrays, FrameError, Header

FIELDS = ("state", "generation", "owner")
FIELD_DTYPES = {"state": np.uint8, "generation": np.uint32, "owner": np.int32}
LEASE_FIELDS = ("free_edges", "leases")
MAX_EVENTS = 5_000
#: a host whose last frame is older than this is stale
STALE_S = 3.0


@dataclass(slots=True)
class CellState:
    """Geometry of one pool: arrays of shape (cells,), and the seq at which each cell changed."""

    cells: int
    arrays: dict[str, NDArray[Any]]
    changed_seq: NDArray[np.int64]
    leases: dict[str, NDArray[Any]] = field(default_factory=dict)
    leases_seq: int = 0
    complete: bool = False

    @classmethod
    def empty(cls, described: Header) -> "CellState":
        """Arrays for a pool as its host's hello describes it."""
        cells = int(described["cells"])
        wanted = {"state": True, **{f: described[f"has_{f}"] for f in ("generation", "owner")}}
        arrays = {f: np.zeros(cells, FIELD_DTYPES[f]) for f in FIELDS if wanted[f]}
        return cls(cells, arrays, np.zeros(cells, np.int64))


class HostState:
    """One host: what it said last, its cells, its events, its history."""

    def __init__(self, name: str, history_bytes: int) -> None:
        self.name = name
        self.status = "starting"
        self.note = ""
        self.epoch = 0
        self.seq = 0
        self.state_seq = 0
        self.event_seq = 0
        #: epoch and event_seq of the host's last event
        self.heard = (0, 0)
        self.engine_age_s = 0.0
        self.hello: Header | None = None
        self.scalars: Header | None = None
        self.cells: dict[str, CellState] = {}
        self.events: list[Header] = []
        self.history = History(history_bytes)
        self.last_frame_s = 0.0

    @property
    def state(self) -> str:
        """One word for people: live, paused, stale, crashed, restarting, starting, disconnected."""
        if self.status != "live":
            return self.status
        if self.age_s > STALE_S or self.engine_age_s > STALE_S:
            return "stale"
        return "paused" if self.scalars and self.scalars.get("paused") else "live"

    @property
    def age_s(self) -> float:
        """Seconds since the last state frame arrived."""
        return time.monotonic() - self.last_frame_s if self.last_frame_s else 0.0

    @property
    def pools(self) -> dict[str, Header]:
        """Latest PoolSnapshot of each pool, as plain data."""
        return dict(self.scalars["pools"]) if self.scalars else {}

    def apply_hello(self, header: Header) -> None:
        """A host (re)introduces itself: its cells are unknown until keyframes come.

        Events stay: why the last host died is wanted most when the next one is there.
        """
        self.epoch, self.hello = int(header["epoch"]), header
        self.cells = {
            name: CellState.empty(described)
            for name, described in header["pools"].items()
            if described["cells"]
        }
        self.history.start(header["epoch"], header["pools"])
        self.status, self.note = "live", ""

    def apply_scalars(self, header: Header) -> None:
        """One tick of all pools."""
        self.seq, self.scalars = int(header["seq"]), header
        self.last_frame_s = time.monotonic()
        self.status = "live"
        self.history.append(header)

    def apply_keyframe(self, header: Header, arrays: Arrays) -> None:
        """One part of a pool's geometry.

        Raises:
            FrameError: a pool or a range that the hello did not announce.
        """
        cells = self._cells_of(header["pool"])
        start, stop = int(header["start"]), int(header["stop"])
        if not 0 <= start <= stop <= cells.cells:
            raise FrameError(f"keyframe {header['pool']} {start}..{stop} of {cells.cells} cells")
        seq = int(header["seq"])
        for name, target in cells.arrays.items():
            target[start:stop] = arrays[name]
        cells.changed_seq[start:stop] = seq
        self._take_leases(cells, arrays, "", seq)
        cells.complete = int(header["part"]) == int(header["parts"]) - 1
        self.state_seq = seq

    def apply_delta(self, header: Header, arrays: Arrays) -> None:
        """Changed cells with their absolute values.

        Raises:
            FrameError: it extends a state other than ours, so a keyframe is needed.
        """
        if int(header["base_seq"]) != self.state_seq:
            raise FrameError(f"delta extends seq {header['base_seq']}, ours is {self.state_seq}")
        seq = int(header["seq"])
        for pool in {name.split("/")[0] for name in arrays}:
            cells = self._cells_of(pool)
            slots = arrays.get(f"{pool}/slots")
            if slots is not None:
                if slots.size and int(slots.max()) >= cells.cells:
                    raise FrameError(f"delta names cell {slots.max()} of {cells.cells} in {pool}")
                for name, target in cells.arrays.items():
                    target[slots] = arrays[f"{pool}/{name}"]
                cells.changed_seq[slots] = seq
            self._take_leases(cells, arrays, f"{pool}/", seq)
        self.state_seq = seq

    def apply_event(self, header: Header) -> Header:
        """Keep an event; the oldest go first. Returns it with an event_seq of this hub."""
        self.event_seq += 1
        event = {**header, "host_event_seq": header.get("event_seq"), "event_seq": self.event_seq}
        self.events.append(event)
        if len(self.events) > MAX_EVENTS:
            del self.events[: len(self.events) - MAX_EVENTS]
        return event

    def events_after(self, event_seq: int) -> tuple[int, list[Header]]:
        """Events newer than `event_seq`, and how many of those are no longer kept."""
        newer = self.event_seq - event_seq
        kept = self.events[-newer:] if newer > 0 else []
        return max(newer, 0) - len(kept), kept

    def _cells_of(self, pool: str) -> CellState:
        if pool not in self.cells:
            raise FrameError(f"pool {pool!r} was not announced with cells by the host's hello")
        return self.cells[pool]

    @staticmethod
    def _take_leases(cells: CellState, arrays: Arrays, prefix: str, seq: int) -> None:
        for name in LEASE_FIELDS:
            if f"{prefix}{name}" in arrays:
                cells.leases[name] = arrays[f"{prefix}{name}"].copy()
                cells.leases_seq = seq
