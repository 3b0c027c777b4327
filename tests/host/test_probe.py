"""The probe sends what changed and nothing else, and its frames lead to the pools' exact cells."""

from typing import Any

import jsonschema
import numpy as np
import pytest

from app.engine.driver import Driver
from app.host.probe import Probe
from app.wire.frame import decode
from app.wire.schemas import SERVER_MESSAGES
from pools.snapshot import AVAILABLE
from tests.engine.workloads import driver, request

PACING = {"paused": False, "speed": 1.0, "done": False}


def watched() -> tuple[Driver, Probe]:
    requests = [
        request(rid, 5 * rid, prompt=60 + 7 * rid, output=40, image_bytes=(5_000,) * (rid % 3))
        for rid in range(40)
    ]
    one, _ = driver(requests)
    return one, Probe("local", "synthetic", 7)


class Mirror:
    """The cells as a hub would hold them."""

    def __init__(self) -> None:
        self.cells: dict[str, dict[str, np.ndarray]] = {}

    def take(self, message: bytes | str) -> dict[str, Any]:
        header, arrays = decode(message)
        if header["kind"] == "keyframe":
            held = self.cells.setdefault(header["pool"], {})
            held |= {name: array.copy() for name, array in arrays.items()}
        elif header["kind"] == "delta":
            for name, array in arrays.items():
                pool, _, field = name.partition("/")
                slots = arrays.get(f"{pool}/slots")
                if field in ("free_edges", "leases"):
                    self.cells[pool][field] = array
                elif field != "slots" and slots is not None:
                    self.cells[pool][field][slots] = array
        return header

    def equals(self, one: Driver) -> None:
        for name, held in self.cells.items():
            geometry = one.pools[name].geometry()
            assert geometry is not None
            for field, array in held.items():
                assert np.array_equal(array, getattr(geometry, field)), f"{name}.{field}"


def test_probe_deltas_lead_to_the_exact_cells() -> None:
    one, probe = watched()
    mirror = Mirror()
    for frame in probe.keyframes(one):
        mirror.take(frame)
    alive = True
    while alive:
        for _ in range(5):
            alive = alive and one.step()
        for frame in probe.sample(one, PACING):
            mirror.take(frame)
        mirror.equals(one)
    assert mirror.cells["kv_pages"]["generation"].sum() > 0, "something happened"


def test_probe_sends_what_a_clear_changed() -> None:
    one, probe = watched()
    mirror = Mirror()
    for _ in range(30):
        one.step()
    for frame in probe.keyframes(one):
        mirror.take(frame)
    for pool in one.pools.values():
        pool.clear()
    for frame in probe.sample(one, PACING):
        mirror.take(frame)
    mirror.equals(one)
    assert {int(state) for state in mirror.cells["kv_pages"]["state"]} == {AVAILABLE}
    assert mirror.cells["kv_pages"]["generation"].any(), "generations go on"


def test_probe_begins_anew_with_a_keyframe() -> None:
    one, probe = watched()
    first, second = Mirror(), Mirror()
    for frame in probe.keyframes(one):
        first.take(frame)
    for _ in range(30):
        one.step()
    for frame in probe.keyframes(one):
        second.take(frame)
    second.equals(one)
    kinds = [decode(frame)[0]["kind"] for frame in probe.sample(one, PACING)]
    assert kinds == ["scalars"], "the keyframe said all there was"


def test_probe_sends_no_delta_when_nothing_changed() -> None:
    one, probe = watched()
    probe.keyframes(one)
    for _ in range(3):
        one.step()
    probe.sample(one, PACING)
    kinds = [decode(frame)[0]["kind"] for frame in probe.sample(one, PACING)]
    assert kinds == ["scalars"]


def test_probe_sends_only_the_cells_that_changed() -> None:
    one, probe = watched()
    probe.keyframes(one)
    before = {n: p.geometry() for n, p in one.pools.items()}
    one.step()
    frames = [decode(frame) for frame in probe.sample(one, PACING)]
    (arrays,) = [arrays for header, arrays in frames if header["kind"] == "delta"]
    for name in {key.partition("/")[0] for key in arrays if key.endswith("/slots")}:
        old, new = before[name], one.pools[name].geometry()
        assert old is not None
        assert new is not None
        changed = old.state != new.state
        for field in ("generation", "owner"):
            if getattr(old, field) is not None:
                changed |= getattr(old, field) != getattr(new, field)
        assert arrays[f"{name}/slots"].tolist() == np.flatnonzero(changed).tolist()


def test_probe_bases_follow_one_another() -> None:
    one, probe = watched()
    probe.keyframes(one)
    last = probe.seq
    for _ in range(20):
        one.step()
        for frame in probe.sample(one, PACING):
            header, _ = decode(frame)
            if header["kind"] == "delta":
                assert header["base_seq"] == last
                last = header["seq"]


@pytest.mark.parametrize("kind", ["hello", "keyframe", "scalars", "delta"])
def test_probe_frames_keep_the_schema(kind: str) -> None:
    one, probe = watched()
    frames: list[bytes | str] = [probe.hello(one, 0), *probe.keyframes(one)]
    one.step()
    frames += probe.sample(one, PACING)
    headers = [decode(frame)[0] for frame in frames]
    mine = [header for header in headers if header["kind"] == kind]
    assert mine
    for header in mine:
        jsonschema.validate(header, SERVER_MESSAGES[kind])
