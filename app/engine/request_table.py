"""Requests in the engine, as rows for people."""

from typing import TYPE_CHECKING, Any

from app.engine.live_request import LiveRequest

if TYPE_CHECKING:
    from app.engine.driver import Driver


def request_rows(driver: "Driver", limit: int) -> list[dict[str, Any]]:
    """At most `limit` rows: running in order of admission, the chunked one, then the queue."""
    scheduler, page = driver.scheduler, driver.plan.page_size
    running = scheduler.running
    rows = [
        _row(live, "running", int(kv_len), int(out), page, driver.now_ns)
        for live, kv_len, out in zip(
            running.requests[:limit], running.column("kv_len"), running.column("out"), strict=False
        )
    ]
    chunked = scheduler.prefill.chunked
    if chunked is not None:
        rows.append(_row(chunked, "prefill", chunked.kv_len, chunked.out, page, driver.now_ns))
    for live in scheduler.prefill.waiting:
        if len(rows) >= limit:
            break
        rows.append(_row(live, "waiting", 0, live.out, page, driver.now_ns))
    return rows[:limit]


def _row(
    live: LiveRequest, state: str, kv_len: int, out: int, page: int, now_ns: int
) -> dict[str, Any]:
    waited_ns = (now_ns if live.admitted_ns < 0 else live.admitted_ns) - live.queued_ns
    return {
        "rid": live.rid,
        "state": state,
        "row": live.row if live.row >= 0 else None,
        "generation": live.generation,
        "input_tokens": live.request.input_tokens,
        "output_tokens": out,
        "max_new_tokens": live.max_new,
        "kv_tokens": kv_len,
        "pages": -(-kv_len // page),
        "prefix_tokens": live.prefix_len,
        "retractions": live.retractions,
        "wait_s": max(waited_ns, 0) / 1e9,
    }
