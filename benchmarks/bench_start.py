"""From `poolscope serve` to the first byte of the page, and to the first live frame."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator

from websockets.sync.client import connect

from app.wire.frame import decode
from benchmarks.figure import Figure

MOST_BYTE_S, MOST_FRAME_S, GIVE_UP_S = 1.5, 6.0, 60.0


def bench() -> Iterator[Figure]:
    """One start with the default server, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [sys.executable, "-m", "app.cli", "serve", "--port", str(port)]
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--data-dir", folder], stderr=subprocess.DEVNULL, env={**os.environ}
        )
        try:
            byte_s = first_byte(port, began)
            frame_s = first_frame(port, began)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(15)
    yield Figure("first byte of the page", byte_s, "s", MOST_BYTE_S, "at most")
    yield Figure("first live frame", frame_s, "s", MOST_FRAME_S, "at most")


def first_byte(port: int, began: float) -> float:
    """Seconds until `/` answers."""
    while time.perf_counter() - began < GIVE_UP_S:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
                response.read(1)
                return time.perf_counter() - began
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"no page after {GIVE_UP_S} s")


def first_frame(port: int, began: float) -> float:
    """Seconds until a viewer receives numbers."""
    with connect(f"ws://127.0.0.1:{port}/ws", compression=None, max_size=None) as viewer:
        viewer.send(json.dumps({"kind": "subscribe", "max_hz": 20}))
        while time.perf_counter() - began < GIVE_UP_S:
            header, _ = decode(viewer.recv(timeout=GIVE_UP_S))
            if header["kind"] == "scalars":
                return time.perf_counter() - began
    raise RuntimeError(f"no frame after {GIVE_UP_S} s")


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


BENCH = bench
