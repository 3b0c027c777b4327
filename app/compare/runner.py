"""Runs cells side by side in processes of their own; one that dies is one failed row."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from app.compare.grid import Cell
from app.sizing.plan import resolve
from app.sizing.server_args import FlagError

#: called with cells done, cells in all
Progress = Callable[[int, int], None]
Row = dict[str, Any]
#: a cell, and what of load or step time is changed
Job = tuple[Cell, dict[str, float]]


class Runner:
    """Cells over one trace, as many at once as there are cores."""

    def __init__(
        self, trace: Path, *, limit: int | None = None, max_seconds: float | None = None
    ) -> None:
        """Nothing runs yet.

        Args:
            trace: a trace file.
            limit: only the first accepted rows of it.
            max_seconds: wall time for all cells of one `run`; what has not ended by then is a
                failed row that says so.
        """
        self._trace, self._limit, self._max_seconds = trace, limit, max_seconds
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()

    def run(self, jobs: list[Job], progress: Progress | None = None) -> list[Row]:
        """A row per job, in their order: the replay's result, or `problem`."""
        deadline = time.monotonic() + self._max_seconds if self._max_seconds else None
        done = 0

        def one(job: Job) -> Row:
            nonlocal done
            row = self._cell(*job, deadline)
            with self._lock:
                done += 1
                if progress is not None:
                    progress(done, len(jobs))
            return row

        try:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                return list(pool.map(one, jobs))
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End what still runs."""
        with self._lock:
            for process in self._running:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()

    def _cell(self, cell: Cell, change: dict[str, float], deadline: float | None) -> Row:
        try:
            resolve(cell.server)
        except FlagError as error:
            return {"flags": cell.flags, "problem": str(error), "impossible": True}
        asked = {
            "trace": str(self._trace),
            "server": dataclasses.asdict(cell.server),
            "limit": self._limit,
            "change": change,
        }
        left_s = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        if left_s == 0.0:
            return {"flags": cell.flags, "problem": self._out_of_time()}
        return {"flags": cell.flags, **self._process(asked, left_s)}

    def _process(self, asked: dict[str, Any], left_s: float | None) -> Row:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "app.engine.cell"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        with self._lock:
            self._running.add(process)
        try:
            out, err = process.communicate(json.dumps(asked), timeout=left_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"problem": self._out_of_time()}
        finally:
            with self._lock:
                self._running.discard(process)
        return _read(process.returncode, out, err)

    def _out_of_time(self) -> str:
        return f"not finished within --max-seconds {self._max_seconds:g}"


def _read(code: int, out: str, err: str) -> Row:
    with contextlib.suppress(ValueError):
        row: Row = json.loads(out)
        return row
    if code < 0:
        name = signal.Signals(-code).name
        hint = "; the machine may be out of memory" if name == "SIGKILL" else ""
        return {"problem": f"the cell's process was killed by {name}{hint}"}
    last = err.strip().splitlines()[-1] if err.strip() else "no word why"
    return {"problem": f"the cell's process ended with code {code}: {last}"}
