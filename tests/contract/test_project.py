"""The project's own files agree: lock, README, Makefile, what CI runs."""

import re
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contract.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TARGETS = (
    *("help", "setup", "serve", "test", "check", "bench", "fix", "shot", "clean"),
    *("setup-conformance", "conformance", "conformance-nightly", "bench-pools"),
)


def pins() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_lock_pins_every_requirement_within_its_range() -> None:
    pinned = pins()
    asked = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    for requirement in map(Requirement, asked):
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"{name} is not in requirements.lock"
        assert requirement.specifier.contains(pinned[name]), f"{name}=={pinned[name]}"


def test_lock_pins_what_the_tests_run_with() -> None:
    differing = {}
    for name, pinned in pins().items():
        try:
            # A local part (+cpu) names a build, which is the index's choice.
            installed = version(name).partition("+")[0]
        except PackageNotFoundError:
            installed = "nothing"
        if installed != pinned:
            differing[name] = f"{installed} instead of {pinned}"
    assert not differing, "run `make setup`, or write the new versions into requirements.lock"


def test_lock_names_no_index_and_no_build() -> None:
    for name, pinned in pins().items():
        assert re.fullmatch(r"[a-z0-9-]+", name), name
        assert re.fullmatch(r"[0-9][0-9a-z.]*", pinned), f"{name}=={pinned}"


@pytest.mark.parametrize("target", TARGETS)
def test_makefile_helps_with_every_target(target: str) -> None:
    said = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True
    )
    assert re.search(rf"make {target} +\w", said.stdout), said.stdout + said.stderr


def test_ci_runs_what_the_readme_tells_a_reader_to_run() -> None:
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()
    for command in ("make test", "make check", "make conformance"):
        assert command in readme
        assert command in ci


def test_readme_and_makefile_know_the_same_targets() -> None:
    named = set(re.findall(r"\bmake ([a-z-]+)\b", (ROOT / "README.md").read_text()))
    assert named <= set(TARGETS), f"the README names targets that are not there: {named}"
