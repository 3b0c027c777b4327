"""Logs in SGLang's layout, written for these tests."""

from app.diagnose.diagnose import diagnose_text
from app.diagnose.judge import Diagnosis

CHILD_DIED = "SIGQUIT received. signum=None, frame=None. It usually means one child failed."
BATCH = (
    "Decode batch, #running-req: {running}, #token: {tokens}, token usage: {usage:.2f}, "
    "cuda graph: True, gen throughput (token/s): 500.00, #queue-req: {queued}, "
)
ROWS = (
    "alloc_req_slots runs out of memory. Please set a smaller number for "
    "`--max-running-requests`. req_to_token_pool.available_size()={free}, num_reqs={wanted}, "
)


def at(second: int, rank: str = "TP0") -> str:
    """A prefix."""
    who = f" {rank}" if rank else ""
    return f"[2026-03-02 08:{second // 60:02}:{second % 60:02}{who}] "


def batch(
    second: int,
    rank: str = "TP0",
    *,
    running: int = 8,
    tokens: int = 8_000,
    usage: float = 0.4,
    queued: int = 0,
) -> str:
    """A decode batch line."""
    body = BATCH.format(running=running, tokens=tokens, usage=usage, queued=queued)
    return at(second, rank) + body


def kv_oom(kind: str, need: int, free: int, evictable: int = 0) -> str:
    """The lines of an out of memory of the KV pool."""
    return (
        f"{kind} out of memory. Try to lower your batch size.\nTry to allocate {need} tokens.\n"
        f"Available tokens: {free + evictable} (available_size={free} + "
        f"evictable_size={evictable})"
    )


def crash(second: int, message: str, rank: str = "TP0") -> str:
    """A scheduler's last traceback."""
    return (
        f"{at(second, rank)}Scheduler hit an exception: Traceback (most recent call last):\n"
        '  File "/opt/sglang/srt/managers/scheduler.py", line 10, in run_scheduler_process\n'
        f"    scheduler.event_loop_overlap()\nRuntimeError: {message}\n"
    )


def parts(
    total: int,
    available: int,
    evictable: int = 0,
    protected: int = 0,
    *,
    pool: str = "full",
    uncached: int = 0,
) -> str:
    """The parts of a pool as today's checker prints them."""
    return (
        f"[{pool}] total={total}, available={available}, evictable={evictable}, "
        f"protected={protected}, session_held=0, uncached={uncached}"
    )


def explained(*lines: str) -> Diagnosis:
    """The diagnosis of these lines."""
    return diagnose_text("\n".join(lines) + "\n")
