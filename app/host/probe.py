"""Turns the pools into frames: what changed since the last sample, and nothing else.

Runs on the engine's thread between two scheduler iterations, so it needs no lock. It keeps the
last state that it sent and compares (a vectorised scan, 0.1 ms per 10^5 cells); the pools pay
nothing for being watched.
"""

import dataclasses
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.engine.faults import all_faults
from app.engine.scenarios import all_scenarios
from app.sizing.bounds import bounds_of
from app.wire.frame import SCHEMA, encode, encode_text
from pools.base import Pool
from pools.snapshot import Geometry, PoolSnapshot

if TYPE_CHECKING:
    from app.engine.driver import Driver

#: cells per keyframe part: 9 bytes a cell keep a part below 1 MiB
PART_CELLS = 114_688
FIELDS = ("state", "generation", "owner")


class Probe:
    """Samples one driver for one host. `seq` counts samples and never goes back in an epoch."""

    def __init__(self, host: str, source: str, epoch: int) -> None:
        self.host, self.source, self.epoch = host, source, epoch
        self.seq = 0
        self.last_sample_s = 0.0
        self._sent: dict[str, Geometry] = {}
        self._state_seq = 0

    def hello(self, driver: "Driver", event_seq: int) -> str:
        """The message that describes pools, cells and server, ahead of any state."""
        pools = {}
        for name, pool in driver.pools.items():
            snapshot = pool.snapshot(driver.now_ns / 1e9, self.source)
            pools[name] = _describe(snapshot, pool.geometry())
        return encode_text(
            {
                **self._stamp("hello"),
                "schema": SCHEMA,
                "source": self.source,
                "device": driver.plan.args.device,
                "event_seq": event_seq,
                "pools": pools,
                "server": [_row(row) for row in driver.plan.ledger],
                "bounds": [dataclasses.asdict(one) for one in bounds_of(driver.plan)],
                "workload": driver.workload.describe(),
                "controls": {
                    "scenarios": [one.describe() for one in all_scenarios().values()],
                    "faults": [one.describe() for one in all_faults().values()],
                },
            }
        )

    def keyframes(self, driver: "Driver") -> list[bytes]:
        """The whole geometry of every pool, in parts; later deltas extend this state."""
        frames = []
        self._sent.clear()
        for name, pool in driver.pools.items():
            geometry = pool.geometry()
            if geometry is None:
                continue
            self._sent[name] = geometry
            frames += self._parts(name, geometry)
        self._state_seq = self.seq
        return frames

    def sample(self, driver: "Driver", pacing: dict[str, Any]) -> list[bytes | str]:
        """One tick: the scalars of all pools, then a delta if any cell changed."""
        started = time.perf_counter()
        self.seq += 1
        now_s = driver.now_ns / 1e9
        scalars = {
            **self._stamp("scalars"),
            "t": time.time(),
            "sim_t": now_s,
            "source": self.source,
            "pools": {n: p.snapshot(now_s, self.source).to_dict() for n, p in driver.pools.items()},
            "engine": driver.stats(),
            **pacing,
        }
        frames: list[bytes | str] = [encode_text(scalars)]
        arrays = self._changes(driver.pools)
        if arrays:
            header = {**self._stamp("delta"), "base_seq": self._state_seq, "t": scalars["t"]}
            frames.append(encode({**header, "sim_t": now_s}, arrays))
            self._state_seq = self.seq
        self.last_sample_s = time.perf_counter() - started
        return frames

    def _stamp(self, kind: str) -> dict[str, Any]:
        return {"kind": kind, "host": self.host, "epoch": self.epoch, "seq": self.seq}

    def _changes(self, pools: dict[str, Pool]) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        for name, sent in self._sent.items():
            live = pools[name]
            changed = _changed_cells(sent, live)
            if changed.size:
                arrays[f"{name}/slots"] = changed.astype(np.uint32)
                for field in FIELDS:
                    old = getattr(sent, field)
                    if old is not None:
                        new = getattr(live, field)[changed]
                        old[changed] = new
                        arrays[f"{name}/{field}"] = new
            if sent.leases is not None:
                arrays |= self._range_changes(name, live)
        return arrays

    def _range_changes(self, name: str, live: Pool) -> dict[str, NDArray[Any]]:
        geometry = live.geometry()
        sent = self._sent[name]
        if geometry is None:
            return {}
        arrays: dict[str, NDArray[Any]] = {}
        for field in ("free_edges", "leases"):
            new = getattr(geometry, field)
            if new is not None and not np.array_equal(new, getattr(sent, field)):
                arrays[f"{name}/{field}"] = new
        if arrays:
            self._sent[name] = geometry
        return arrays

    def _parts(self, name: str, geometry: Geometry) -> list[bytes]:
        cells = len(geometry.state)
        starts = range(0, max(cells, 1), PART_CELLS)
        frames = []
        for part, start in enumerate(starts):
            stop = min(start + PART_CELLS, cells)
            arrays = {
                field: getattr(geometry, field)[start:stop]
                for field in FIELDS
                if getattr(geometry, field) is not None
            }
            if part == 0 and geometry.leases is not None:
                arrays["leases"] = geometry.leases
                if geometry.free_edges is not None:
                    arrays["free_edges"] = geometry.free_edges
            place = {"part": part, "parts": len(starts), "start": start, "stop": stop}
            frames.append(encode({**self._stamp("keyframe"), "pool": name, **place}, arrays))
        return frames


def _changed_cells(sent: Geometry, live: Pool) -> NDArray[np.intp]:
    different = sent.state != live.state  # type: ignore[attr-defined]
    for field in ("generation", "owner"):
        old = getattr(sent, field)
        if old is not None:
            different |= old != getattr(live, field)
    return np.flatnonzero(different)


def _describe(snapshot: PoolSnapshot, geometry: Geometry | None) -> dict[str, Any]:
    return {
        "kind": snapshot.kind,
        "unit": snapshot.unit,
        "capacity": snapshot.capacity,
        "page_size": snapshot.page_size,
        "view_of": snapshot.view_of,
        "cells": 0 if geometry is None else len(geometry.state),
        "unit_per_cell": 0 if geometry is None else geometry.unit_per_cell,
        "has_generation": geometry is not None and geometry.generation is not None,
        "has_owner": geometry is not None and geometry.owner is not None,
        "has_ranges": geometry is not None and geometry.leases is not None,
    }


def _row(row: object) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("name", "asked", "effective", "unit", "rule")}
