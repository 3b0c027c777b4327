"""The Dockerfile's own steps, carried out in a new environment: install, start, health check."""

import re
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.dockerfile import ImageFolder, instructions
from tests.contract.server import SMALL, free_port
from tests.contract.tree import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> ImageFolder:
    folder = ImageFolder(tmp_path_factory.mktemp("image"), context=ROOT)
    folder.build(ROOT / "Dockerfile")
    return folder


@pytest.fixture(scope="module")
def started(image: ImageFolder) -> Iterator[tuple[int, Path]]:
    """Port and log of the started image, once its own health check is content."""
    port, log = free_port(), image.folder / "log"
    process = image.start("--port", str(port), *SMALL, log=log)
    try:
        deadline = time.monotonic() + 20
        while not image.healthy(port):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield port, log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(15)


def test_dockerfile_does_not_end_as_root(image: ImageFolder) -> None:
    assert image.user.isdigit(), "a numeric user lets an orchestrator see that it is not root"
    assert int(image.user) > 0
    (created,) = image.not_ran
    assert f"--uid {image.user}" in created


def test_dockerfile_sends_the_builder_what_it_copies_and_no_more(image: ImageFolder) -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    assert kept == set(image.copied)


def test_dockerfile_installs_torch_before_anything_that_changes(image: ImageFolder) -> None:
    steps = [f"{word} {rest}" for word, rest in instructions((ROOT / "Dockerfile").read_text())]
    torch = next(at for at, step in enumerate(steps) if "^torch==" in step)
    app = steps.index("COPY app app")
    assert torch < app


def test_dockerfile_starts_and_guards_its_pages(
    started: tuple[int, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    port, log = started
    assert _status(port, "/api/pools") == 401
    token = re.search(r"token=(\S+)", log.read_text())
    assert token, f"no token was printed:\n{log.read_text()}"
    assert _status(port, "/api/pools", Authorization=f"Bearer {token[1]}") == 200
    with capsys.disabled():
        print("\nDockerfile: its steps ran in a folder; the image itself has not been built")


def _status(port: int, path: str, **headers: str) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
