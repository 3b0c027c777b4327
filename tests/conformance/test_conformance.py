"""A short `make conformance` where its environment is there."""

import os
import re
import subprocess

import pytest

from tests.contract.tree import ROOT

PYTHON = ROOT / ".venv-conformance" / "bin" / "python"
BUILT = ROOT / ".venv-conformance" / ".sglang"


@pytest.mark.timeout(300)
def test_ours_answer_as_sglang_does() -> None:
    if not BUILT.exists():
        pytest.skip("no environment with SGLang: `make conformance` builds it and compares")
    command = [str(PYTHON), "-m", "tests.conformance.run", "--sequences", "30"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"\d+ sequences, \d+ operations, 0 unexplained differences", last)
