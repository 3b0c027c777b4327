"""Enough of a Dockerfile reader to carry out its steps in a folder instead of a container."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template

from tests.contract.fresh_env import lend_packages, offline, run

#: changes the machine's list of users, so it is looked at and not carried out
SYSTEM_STEPS = ("useradd",)
#: where the image keeps what is ours; moved under the folder
ROOTS = ("/opt/poolscope", "/src", "/data")
ABSOLUTE = re.compile(r"""(?:^|[\s="':])(/\w[\w./-]*)""")


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """(instruction, rest) in order, comments dropped and continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        yield word.upper(), rest.strip()


class ImageFolder:
    """The file system of an image as a folder: absolute paths of the Dockerfile lie under it."""

    def __init__(self, folder: Path, context: Path) -> None:
        self.folder, self.context = folder, context
        self.workdir, self.env = folder, offline()
        self.user, self.entrypoint, self.health = "root", list[str](), list[str]()
        self.ran, self.not_ran, self.copied = list[str](), list[str](), list[str]()
        # `python` in the base image is this Python.
        self.env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{self.env['PATH']}"

    def build(self, dockerfile: Path) -> None:
        """Carry out every instruction in order."""
        for word, rest in instructions(dockerfile.read_text()):
            getattr(self, f"_{word.lower()}")(rest)

    def placed(self, text: str) -> str:
        """`text` with the image's absolute paths moved under the folder."""
        outside = [path for path in ABSOLUTE.findall(text) if not path.startswith(ROOTS)]
        assert not outside, f"{outside} would be this machine's own; add it to ROOTS"
        for root in ROOTS:
            text = text.replace(root, f"{self.folder}{root}")
        return text

    def start(self, *flags: str, log: Path) -> "subprocess.Popen[str]":
        """The entry point, with a user's flags behind it."""
        program = shutil.which(self.entrypoint[0], path=self.env["PATH"])
        assert program, f"{self.entrypoint[0]} is not on the image's PATH"
        command = [program, *self.entrypoint[1:], *flags]
        with log.open("w") as file:
            return subprocess.Popen(
                command, cwd=self.workdir, env=self.env, stdout=file, stderr=file, text=True
            )

    def healthy(self, port: int) -> bool:
        """The health check's own answer, asked of another port."""
        command = [word.replace(":8000/", f":{port}/") for word in self.health]
        program = shutil.which(command[0], path=self.env["PATH"])
        assert program, f"{command[0]} is not on the image's PATH"
        done = subprocess.run(
            [program, *command[1:]], env=self.env, capture_output=True, check=False, timeout=10
        )
        return done.returncode == 0

    def _from(self, rest: str) -> None:
        self.workdir, self.user = self.folder, "root"

    def _arg(self, rest: str) -> None:
        name, _, default = rest.partition("=")
        self.env.setdefault(name, default.strip('"'))

    def _env(self, rest: str) -> None:
        for pair in shlex.split(self.placed(rest)):
            name, _, value = pair.partition("=")
            self.env[name] = Template(value).safe_substitute(self.env)

    def _workdir(self, rest: str) -> None:
        self.workdir = Path(self.placed(rest))
        self.workdir.mkdir(parents=True, exist_ok=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        if sources[0].startswith("--from="):
            assert Path(self.placed(sources[1])).is_dir(), rest
            return
        for source in sources:
            path, into = self.context / source, self.workdir / target
            if path.is_dir():
                shutil.copytree(path, into, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, into)
            self.copied.append(source)

    def _run(self, rest: str) -> None:
        if rest.startswith(SYSTEM_STEPS):
            self.not_ran.append(rest)
            return
        run(["sh", "-ec", self.placed(rest)], cwd=self.workdir, env=self.env)
        self.ran.append(rest)
        if "-m venv" in rest:
            lend_packages(Path(self.placed(rest.split()[-1])))

    def _user(self, rest: str) -> None:
        self.user = rest

    def _entrypoint(self, rest: str) -> None:
        self.entrypoint = json.loads(self.placed(rest))

    def _healthcheck(self, rest: str) -> None:
        self.health = json.loads(rest.split("CMD", 1)[1])

    def _volume(self, rest: str) -> None:
        """Nothing to do in a folder."""

    def _expose(self, rest: str) -> None:
        """Nothing to do in a folder."""
