"""Keyframes and deltas for viewers, from the cells that the hub holds."""

import numpy as np

from app.hub.state import HostState
from app.hub.subscription import Subscription
from app.wire.frame import Header, encode

#: cells per keyframe part: 9 bytes a cell keep it below 1 MiB
PART_CELLS = 114_688


def keyframe(state: HostState, pool: str, want: Subscription) -> list[bytes]:
    """All cells of `pool` that a viewer draws, in parts, as of `state.state_seq`."""
    cells = state.cells[pool]
    start, stop = want.range_of(pool, cells.cells)
    starts = range(start, max(stop, start + 1), PART_CELLS)
    parts = []
    for part, low in enumerate(starts):
        high = min(low + PART_CELLS, stop)
        arrays = {name: array[low:high] for name, array in cells.arrays.items()}
        place = {"part": part, "parts": len(starts), "start": low, "stop": high}
        header = {**_stamp(state, "keyframe"), "pool": pool, "cells": cells.cells, **place}
        parts.append(encode(header, arrays | (cells.leases if part == 0 else {})))
    return parts


def delta(
    state: HostState, pools: tuple[str, ...], ranges: tuple[tuple[int, int], ...], base: int
) -> bytes:
    """What changed in `pools` since `base`, as absolute values.

    `ranges[i]` is the (start, stop) of cells wanted of `pools[i]`.
    """
    arrays = {}
    for pool, (start, stop) in zip(pools, ranges, strict=True):
        cells = state.cells[pool]
        changed = np.flatnonzero(cells.changed_seq[start:stop] > base) + start
        if changed.size:
            arrays[f"{pool}/slots"] = changed.astype(np.uint32)
            arrays |= {f"{pool}/{name}": array[changed] for name, array in cells.arrays.items()}
        if cells.leases_seq > base:
            arrays |= {f"{pool}/{name}": array for name, array in cells.leases.items()}
    header = {**_stamp(state, "delta"), "base_seq": base, "pools": list(pools)}
    return encode(header, arrays)


def _stamp(state: HostState, kind: str) -> Header:
    scalars = state.scalars or {}
    return {
        "kind": kind,
        "host": state.name,
        "epoch": state.epoch,
        "seq": state.state_seq,
        "t": scalars.get("t"),
        "sim_t": scalars.get("sim_t"),
    }
