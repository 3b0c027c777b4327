"""What must start fast loads no torch: asked of a fresh interpreter, module by module."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

TORCH_FREE = (
    *("app.main", "app.hub.hub", "app.hub.broadcast", "app.supervisor", "app.settings", "app.cli"),
    *(
        "app.catalog.catalog",
        "app.catalog.explain",
        "app.diagnose.diagnose",
        "app.traces.request",
        "app.sizing.plan",
    ),
    *("app.wire.frame", "app.assets", "pools.snapshot", "pools.errors"),
)
NO_WEB_IN_POOLS = ("fastapi", "starlette", "uvicorn", "plotly", "pydantic", "app")
EXPLAIN_S = 2.0


@pytest.mark.parametrize("module", TORCH_FREE)
def test_module_loads_no_torch(module: str) -> None:
    assert "torch" not in loaded_by(f"import {module}")


def test_the_command_line_waits_for_no_numbers() -> None:
    assert "numpy" not in loaded_by("from app.cli import build_parser; build_parser()")


def test_catalog_loads_no_torch_with_all_its_entries() -> None:
    assert "torch" not in loaded_by("from app.catalog.catalog import CATALOG; CATALOG.search('')")


def test_pools_load_no_web() -> None:
    every_kind = "import pools.kinds; from pools.base import discover; discover(pools.kinds,'POOL')"
    loaded = loaded_by(f"{every_kind}; import pools.allocation")
    assert "torch" in loaded, "the kinds hand out torch memory"
    assert not loaded & set(NO_WEB_IN_POOLS)


def test_explain_answers_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "app.cli", "explain", "alloc-req-slots-exhausted"]
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - began)
    with capsys.disabled():
        print(f"\npoolscope explain: {min(times):.2f} s from start to end, best of {len(times)}")
    assert min(times) < EXPLAIN_S


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after `code`."""
    report = "import sys; print(*{name.split('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", f"{code}\n{report}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())
