"""A real server with a real pool host, as a user starts it, for tests."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SMALL = ("--max-total-tokens", "65536", "--context-length", "8192", "--max-running-requests", "32")
START_S = 30.0


class Server:
    """A running `poolscope serve`."""

    def __init__(self, process: "subprocess.Popen[str]", port: int, data_dir: Path) -> None:
        self.process, self.port, self.data_dir = process, port, data_dir
        self.base = f"http://127.0.0.1:{port}"

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """Status and parsed body (JSON when it is JSON, else text)."""
        return self._ask(urllib.request.Request(self.base + path, headers=headers))

    def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """POST a JSON body."""
        data = json.dumps(body or {}).encode()
        headers = {"Content-Type": "application/json", **headers}
        return self._ask(urllib.request.Request(self.base + path, data, headers, method="POST"))

    @staticmethod
    def _ask(request: urllib.request.Request) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, _parsed(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _parsed(error)

    def until(self, path: str, claim: Any, timeout_s: float = START_S) -> Any:
        """Poll until `claim(status, body)` holds; the body."""
        deadline = time.monotonic() + timeout_s
        last: Any = None
        while time.monotonic() < deadline:
            try:
                last = self.get(path)
            except OSError as error:
                last = (0, str(error))
            if claim(*last):
                return last[1]
            time.sleep(0.05)
        raise AssertionError(f"{path}: {last} after {timeout_s} s")

    def host_pid(self) -> int:
        """Process id of the pool host: the one child of the web process."""
        return children_of(self.process.pid)[0]


def children_of(pid: int) -> list[int]:
    """Direct children, read off the process table."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = re.search(r"State:\s+(\w)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return False
    return state is not None and state[1] != "Z"


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serve(tmp_path: Path, *flags: str, wait: bool = True) -> Iterator[Server]:
    """Start `poolscope serve` on a free port; ends it (and checks that the host ends) after."""
    port = free_port()
    command = [sys.executable, "-m", "app.cli", "serve", "--port", str(port)]
    command += ["--data-dir", str(tmp_path), *flags]
    with (tmp_path / "server.log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, stdout=log, text=True, env={**os.environ})
    server = Server(process, port, tmp_path)
    try:
        if wait:
            server.until("/readyz", lambda status, _: status == 200)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _parsed(response: Any) -> Any:
    text = response.read().decode()
    if "json" in response.headers.get("content-type", ""):
        return json.loads(text)
    return text
