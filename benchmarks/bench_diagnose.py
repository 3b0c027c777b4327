"""`poolscope diagnose` on a log of 200 MB, in a process of its own."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.sample_log import write_log

LOG_BYTES = 200_000_000
MOST_S, MOST_MB = 20.0, 300.0
FINDING = 1
#: `ru_maxrss` would count the parent that forked; the high-water mark is the program's own
_PROGRAM = """
import sys
from app.cli import main
code = main(sys.argv[1:])
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


def bench() -> Iterator[Figure]:
    """One log, read once; the answer is checked, since a wrong one may be fast."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        size = write_log(log, LOG_BYTES)
        seconds, peak_mb, verdict = read(log)
    if verdict["code"] != "kv-prefill-oom":
        raise RuntimeError(f"the log's crash was not found: {verdict}")
    on = f"{size / 1e6:.0f} MB of batch lines"
    yield Figure("diagnose a large log", seconds, "s", MOST_S, "at most", note=on)
    yield Figure("diagnose a large log, memory", peak_mb, "MB", MOST_MB, "at most", note=on)


def read(log: Path) -> tuple[float, float, dict[str, object]]:
    """Seconds, peak memory in MB and the verdict."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "diagnose", str(log), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    if done.returncode != FINDING:
        raise RuntimeError(f"poolscope diagnose ended with {done.returncode}: {done.stderr}")
    return seconds, float(done.stderr) / 1e3, json.loads(done.stdout)["verdict"]


BENCH = bench
