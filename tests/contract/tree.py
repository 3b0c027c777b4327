"""The files of this project, as git knows them, or as they lie in an unpacked archive."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: what a tool or a build may leave behind; no part of the project
LEFT_BEHIND = {"node_modules", "build", "dist", "__pycache__"}


def project_files(*suffixes: str) -> list[Path]:
    """Every file of the project whose name ends in one of `suffixes` (all without), sorted."""
    files = _from_git() or _from_disk()
    return sorted(path for path in files if not suffixes or path.suffix in suffixes)


def _from_git() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return []
    # New files count before they are added: a budget should fail before the commit, not after.
    command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return []
    found = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return [path for path in found if path.is_file()]


def _from_disk() -> list[Path]:
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not _is_left_behind(path.relative_to(ROOT))
    ]


def _is_left_behind(path: Path) -> bool:
    return any(
        part in LEFT_BEHIND
        or part.endswith(".egg-info")
        or (part.startswith(".") and part != ".ci")
        for part in path.parts
    )
