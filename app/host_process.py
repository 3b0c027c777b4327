"""A pool host as a child process: how it is started, and how it is ended. Torch-free."""

import asyncio
import contextlib
import os
import sys

from app.host.config import HostConfig

TOKEN_ENV = "POOLSCOPE_HOST_TOKEN"
STOP_GRACE_S = 3.0


class HostProcess:
    """One `python -m app.host` at a time. `pid` is None while there is none."""

    def __init__(self, config: HostConfig, url: str, token: str) -> None:
        self.config = config
        self._url, self._token = url, token
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self) -> asyncio.subprocess.Process:
        """Start it; it ends by itself when this process does."""
        # OMP_NUM_THREADS before the import of torch: its pool is sized then.
        environment = {**os.environ, TOKEN_ENV: self._token, "OMP_NUM_THREADS": "1"}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "app.host",
            "--connect",
            self._url,
            "--config",
            self.config.to_json(),
            "--watch-parent",
            stdin=asyncio.subprocess.PIPE,
            env=environment,
        )
        return self._process

    async def stop(self) -> None:
        """End it: close its pipe, and kill it if it does not go within 3 s."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_GRACE_S):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
