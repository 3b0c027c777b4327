"""A server's log of any size: start, batch lines of eight ranks with requests between, a crash."""

from collections.abc import Iterator
from pathlib import Path

RANKS = 8
_START = (
    "[2026-03-02 08:00:01] server_args=ServerArgs(model_path='/models/m', tp_size=8, page_size=1, "
    "mem_fraction_static=0.88, max_running_requests=64)\n"
    "[2026-03-02 08:00:50 TP0] max_total_num_tokens=420000, chunked_prefill_size=8192, "
    "max_prefill_tokens=16384, max_running_requests=64, context_len=131072, "
    "available_gpu_mem=8.11 GB\n"
)
_NEED = (
    "Prefill out of memory. Try to lower your batch size.\nTry to allocate 8192 tokens.\n"
    "Available tokens: 500 (available_size=500 + evictable_size=0)\n"
)


def write_log(path: Path, size_bytes: int) -> int:
    """Write a log of about `size_bytes`; returns what it really has."""
    written = 0
    with path.open("w", encoding="ascii") as file:
        for piece in _pieces(size_bytes):
            written += file.write(piece)
    return written


def _pieces(size_bytes: int) -> Iterator[str]:
    yield _START
    left, second = size_bytes - len(_START) - 4_000, 0
    while left > 0:
        piece = "".join(_second(second))
        yield piece
        left -= len(piece)
        second += 1
    stamp = _clock(second)
    for rank in range(RANKS):
        yield f"[{stamp} TP{rank}] Scheduler hit an exception: Traceback (most recent call last):\n"
        yield f"RuntimeError: {_NEED}"
    yield f"[{stamp}] SIGQUIT received. signum=None, frame=None. It usually means one child failed."


def _second(second: int) -> Iterator[str]:
    stamp, share = _clock(second), min(1.0, second / 50_000)
    for rank in range(RANKS):
        yield (
            f"[{stamp} TP{rank}] Decode batch, #running-req: {int(share * 64)}, #token: "
            f"{int(share * 419_500)}, token usage: {share:.2f}, cuda graph: True, gen throughput "
            f"(token/s): {500 + second % 300}.25, #queue-req: {second % 7}, \n"
        )
    for request in range(3):
        yield f'[{stamp}] INFO:     client:{request} - "POST /v1/completions HTTP/1.1" 200 OK\n'


def _clock(second: int) -> str:
    day, rest = divmod(second + 29_000, 86_400)
    return f"2026-03-{2 + day % 28:02} {rest // 3_600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
