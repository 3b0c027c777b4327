"""A new virtual environment that borrows what this one has installed, all but Poolscope itself.

Installing torch again would cost minutes and a network; a folder of links costs neither, and pip
sees the borrowed packages as installed, at the versions that they have.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

#: never lent: Poolscope is what is under test, and each environment has a pip of its own
KEPT_BACK = ("poolscope", "pip", "_virtualenv", "distutils-precedence", "__pycache__")


def lend_packages(venv: Path) -> None:
    """Make this environment's packages importable in `venv`, Poolscope excepted."""
    lent = venv / "lent"
    lent.mkdir()
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(place).iterdir():
            name = entry.name.lower()
            if entry.suffix != ".pth" and name.split("-")[0].split(".")[0] not in KEPT_BACK:
                (lent / entry.name).symlink_to(entry)
    (site,) = venv.glob("lib/python*/site-packages")
    # Python 3.11 puts an old setuptools into a venv, which would hide the one that torch needs.
    for old in (*site.glob("setuptools*"), *site.glob("pkg_resources")):
        shutil.rmtree(old)
    (site / "lent.pth").write_text(f"{lent}\n")


def offline(**more: str) -> dict[str, str]:
    """An environment in which pip may fetch nothing, and no checkout is on the path."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # pip reads the second one as "build isolation: no": hatchling is among what is lent.
    return {**inherited, "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", **more}


def make_venv(venv: Path) -> Path:
    """A venv with packages lent; its python."""
    run([sys.executable, "-m", "venv", str(venv)], cwd=venv.parent)
    lend_packages(venv)
    return venv / "bin" / "python"


def run(
    command: list[str], cwd: Path, env: dict[str, str] | None = None, timeout_s: float = 60
) -> str:
    """Standard output of a command that must succeed.

    Raises:
        AssertionError: it failed; the text is all it printed.
    """
    done = subprocess.run(
        command, cwd=cwd, env=env or offline(), capture_output=True, text=True, timeout=timeout_s
    )
    assert done.returncode == 0, f"{command} in {cwd}:\n{done.stdout}{done.stderr}"
    return done.stdout
