"""Real server and host processes: ports, tokens, second hosts, and what a kill leaves behind."""

import subprocess
import sys
import time
from pathlib import Path

from tests.contract.server import SMALL, Server, alive, free_port, serve


def test_killed_web_process_leaves_no_orphan(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL) as running:
        pid = running.host_pid()
        running.process.kill()
        deadline = time.monotonic() + 2.0
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not alive(pid), "the host must end within 2 s of its parent"


def test_second_server_on_the_port_says_so(server: Server) -> None:
    command = [sys.executable, "-m", "app.cli", "serve", "--port", str(server.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert f"port {server.port} on 127.0.0.1 is taken" in done.stderr


def test_second_host_joins_with_the_token_file(server: Server, tmp_path: Path) -> None:
    token_file = server.data_dir / f"host-token-{server.port}"
    command = [
        sys.executable,
        "-m",
        "app.cli",
        "host",
        "--connect",
        server.base,
        "--name",
        "second",
    ]
    command += ["--token-file", str(token_file), *SMALL]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        server.until("/api/hosts", lambda _, body: body["total"] == 2)
        server.until("/api/hosts/second", lambda _, body: body["state"] == "live")
        assert server.get("/api/pools/second/kv_pages")[0] == 200
        assert server.get("/?host=second")[0] == 200
    finally:
        process.kill()
        process.wait()
    server.until("/api/hosts/second", lambda _, body: body["state"] == "disconnected")


def test_open_address_without_a_token_is_refused() -> None:
    command = [sys.executable, "-m", "app.cli", "serve", "--host", "0.0.0.0"]
    command += ["--port", str(free_port())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "--token" in done.stderr


def test_token_guards_everything_but_livez(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL, "--token", "s3cret", "--no-pool-host", wait=False) as running:
        running.until("/livez", lambda status, _: status == 200)
        assert running.get("/api/hosts")[0] == 401
        assert running.get("/api/hosts", Authorization="Bearer wrong")[0] == 401
        assert running.get("/api/hosts", Authorization="Bearer s3cret")[0] == 200
        assert running.get("/api/hosts", Cookie="poolscope_token=s3cret")[0] == 200
        assert running.get("/readyz", Authorization="Bearer s3cret")[0] == 503


def test_read_only_server_changes_nothing(tmp_path: Path) -> None:
    with serve(tmp_path, *SMALL, "--read-only") as running:
        status, problem = running.post("/api/workload/pause")
        assert status == 403
        assert "--read-only" in problem["detail"]
        assert running.get("/api/hosts/local")[1]["state"] == "live"
