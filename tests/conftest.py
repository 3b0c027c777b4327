"""What every test shares: one thread, hypothesis profiles, real data and Chromium when present."""

import os

# Before numpy and torch are imported anywhere: two OpenMP threads on two cores spend their time
# at a spin barrier, and every timing becomes noise.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import shutil
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)

DATA_VARIABLE = "POOLSCOPE_DATA"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci",
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def data_folder() -> Path | None:
    """The folder of real traces and logs, or None when there is none on this machine.

    Raises:
        pytest.UsageError: the variable names something that is no folder.
    """
    given = os.environ.get(DATA_VARIABLE)
    if not given:
        return None
    folder = Path(given)
    if not folder.is_dir():
        raise pytest.UsageError(f"{DATA_VARIABLE}={given} is no folder; correct it or unset it")
    return folder.resolve()


@pytest.fixture(scope="session")
def shared_data() -> Path | None:
    """Folder of real data; None means that a test uses its own small sample."""
    return data_folder()


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium; browser tests are skipped without one, and only then."""
    given = os.environ.get("CHROMIUM")
    if given and not Path(given).is_file():
        raise pytest.UsageError(f"CHROMIUM={given} is no file; correct it or unset it")
    found = given or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed; CHROMIUM=PATH names another")
    return found


def pytest_sessionstart() -> None:
    """A wrong POOLSCOPE_DATA ends the run at once instead of failing test after test."""
    data_folder()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which data the tests ran on: passing on samples is a weaker claim."""
    folder = data_folder()
    if folder is None:
        said = f"{DATA_VARIABLE} is not set: tests ran on the small samples they carry"
    else:
        said = f"tests read real data from {DATA_VARIABLE}={folder}"
    terminalreporter.write_line(said)
