"""The wheel, installed where no checkout is near: what a user of `pip install` gets."""

import signal
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from app import __version__
from tests.contract.fresh_env import make_venv, offline, run
from tests.contract.server import SMALL, free_port
from tests.contract.tree import ROOT, project_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run([*build, str(ROOT)], cwd=folder)
    (built,) = folder.glob("poolscope-*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = make_venv(tmp_path_factory.mktemp("installed") / "venv")
    run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], cwd=wheel.parent)
    return python.parent


def test_wheel_carries_the_program_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, inside in (("app", "app"), ("pools", "pools")):
        ours = {p for p in project_files(".py") if p.is_relative_to(ROOT / folder)}
        missing = {f"{inside}/{p.relative_to(ROOT / folder).as_posix()}" for p in ours} - names
        assert not missing
    for folder in ("static", "templates"):
        ours = {p.relative_to(ROOT).as_posix() for p in project_files() if _under(p, folder)}
        assert {f"app/{name}" for name in ours} <= names
    roots = {name.split("/")[0] for name in names}
    assert roots == {"app", "pools", f"poolscope-{__version__}.dist-info"}


def test_wheel_says_its_version(scripts: Path, tmp_path: Path) -> None:
    said = run([str(scripts / "poolscope"), "--version"], cwd=tmp_path)
    assert said.strip() == f"poolscope {__version__}"


def test_wheel_explains_an_error_from_any_folder(scripts: Path, tmp_path: Path) -> None:
    said = run([str(scripts / "poolscope"), "explain", "alloc-req-slots-exhausted"], cwd=tmp_path)
    assert "alloc_req_slots runs out of memory" in said


def test_wheel_serves_its_pages(scripts: Path, tmp_path: Path) -> None:
    port = free_port()
    command = [str(scripts / "poolscope"), "serve", "--port", str(port), *SMALL]
    log = tmp_path / "server.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--data-dir", str(tmp_path)], cwd=tmp_path, env=offline(), stderr=file
        )
    try:
        page = _fetch(f"http://127.0.0.1:{port}/", log)
        assert "<main" in page
        assert "@media" in _fetch(f"http://127.0.0.1:{port}/static/app.css", log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(15)


def _under(path: Path, folder: str) -> bool:
    return path.is_relative_to(ROOT / folder)


def _fetch(url: str, log: Path, within_s: float = 20) -> str:
    deadline = time.monotonic() + within_s
    last: OSError | None = None
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                return str(response.read().decode())
        except OSError as error:
            last = error
            time.sleep(0.1)
    raise AssertionError(f"{url}: {last} after {within_s} s\n{log.read_text()}")
