"""A host's side of the wire for hub tests: real frames of a small pool that tests can change."""

from typing import Any

import numpy as np

from app.wire.frame import encode

CELLS = 4096


class TinyHost:
    """Sends what a host with one pool of 4,096 cells sends; `state` is the truth."""

    def __init__(self, name: str = "local", epoch: int = 7) -> None:
        self.name, self.epoch, self.seq, self.state_seq = name, epoch, 0, 0
        self.event_seq = 0
        self.state = np.zeros(CELLS, np.uint8)
        self.generation = np.zeros(CELLS, np.uint32)
        self.owner = np.full(CELLS, -1, np.int32)

    def _stamp(self, kind: str) -> dict[str, Any]:
        return {"kind": kind, "host": self.name, "epoch": self.epoch, "seq": self.seq}

    def hello(self) -> bytes:
        pool = {"kind": "kv_pages", "unit": "pages", "capacity": CELLS, "page_size": 16}
        pool |= {"cells": CELLS, "unit_per_cell": 1, "view_of": None}
        pool |= {"has_generation": True, "has_owner": True, "has_ranges": False}
        described = {"schema": 1, "source": "synthetic", "device": "cpu", "event_seq": 0}
        described |= {"pools": {"kv_pages": pool}, "server": [], "workload": {}}
        return encode({**self._stamp("hello"), **described})

    def keyframe(self) -> bytes:
        self.state_seq = self.seq
        place = {"pool": "kv_pages", "part": 0, "parts": 1, "start": 0, "stop": CELLS}
        arrays = {"state": self.state, "generation": self.generation, "owner": self.owner}
        return encode({**self._stamp("keyframe"), **place}, arrays)

    def change(self, slots: list[int], state: int) -> bytes:
        """Change cells and return the delta for it."""
        self.seq += 1
        at = np.array(slots, np.uint32)
        self.state[at] = state
        self.generation[at] += 1
        self.owner[at] = self.seq
        arrays = {"kv_pages/slots": at, "kv_pages/state": self.state[at]}
        arrays |= {"kv_pages/generation": self.generation[at], "kv_pages/owner": self.owner[at]}
        message = encode({**self._stamp("delta"), "base_seq": self.state_seq}, arrays)
        self.state_seq = self.seq
        return message

    def scalars(self, t: float = 100.0, **engine: Any) -> bytes:
        self.seq += 1
        held = int((self.state == 1).sum())
        pool = snapshot("kv_pages", CELLS, held=held, page_size=16)
        stats = {"running_reqs": 1, "queued_reqs": 0, "sim_t": t, "workload": {}} | engine
        body = {"t": t, "sim_t": t, "source": "synthetic", "pools": {"kv_pages": pool}}
        body |= {"engine": stats, "paused": False, "speed": 1.0, "done": False}
        return encode({**self._stamp("scalars"), **body})

    def event(self, message: str = "x", code: str | None = None) -> bytes:
        self.event_seq += 1
        body = {"t": 1.0, "sim_t": 1.0, "pool": None, "level": "error", "event": "error"}
        body |= {
            "event_seq": self.event_seq,
            "code": code,
            "message": message,
            "numbers": {},
            "href": None,
        }
        return encode({**self._stamp("event"), **body})


def snapshot(name: str, capacity: int, **numbers: Any) -> dict[str, Any]:
    """A PoolSnapshot as plain data; `available` is what the other states leave."""
    parts = {key: numbers.get(key, 0) for key in ("evictable", "protected", "held", "leaked")}
    return {
        "name": name,
        "kind": name,
        "unit": numbers.get("unit", "pages"),
        "device": "cpu",
        "source": "synthetic",
        "capacity": capacity,
        "available": numbers.get("available", capacity - sum(parts.values())),
        **parts,
        "retired": 0,
        "page_size": numbers.get("page_size", 1),
        "view_of": None,
        "free_ranges": numbers.get("free_ranges"),
        "generations": numbers.get("generations"),
        "leases": numbers.get("leases"),
        "counters": {"allocs_total": 0, "frees_total": 0, "failures_total": {}, "raised_total": {}},
        "extra": numbers.get("extra", {}),
    }
