"""Arrivals: limits at the door, features on their way, then the queue."""

from typing import TYPE_CHECKING

from app.engine.live_request import LiveRequest
from app.traces.request import TraceRequest
from app.wire.event import EngineEvent

if TYPE_CHECKING:
    from app.engine.driver import Driver

#: a storm of the same event is folded to one in this time, simulated
FOLD_NS = 1_000_000_000


class Intake:
    """Hands due requests to the scheduler, one request ahead of the clock."""

    def __init__(self, driver: "Driver") -> None:
        self._driver = driver
        self._source = driver.workload.requests()
        self._next: TraceRequest | None = next(self._source, None)
        self._told_ns: dict[str, int] = {}

    @property
    def next_ns(self) -> int | None:
        """When the next request arrives; None after the last."""
        return None if self._next is None else self._next.arrival_ns

    def take_due(self) -> None:
        """Take every request that has arrived by now."""
        now_ns = self._driver.now_ns
        while self._next is not None and self._next.arrival_ns <= now_ns:
            self._arrive(self._next)
            self._next = next(self._source, None)

    def _arrive(self, request: TraceRequest) -> None:
        driver = self._driver
        driver.ledger.add("arrived_total")
        plan, waiting = driver.plan, driver.scheduler.prefill.waiting
        limit = plan.args.max_queued_requests
        new_tokens = driver.policy.max_new_tokens(request.output_tokens, request.input_tokens, plan)
        if new_tokens < 1:
            self._reject(
                request,
                "input-exceeds-max-length",
                f"Input length ({request.input_tokens} tokens) exceeds the maximum allowed length "
                f"({plan.max_req_input_len} tokens). "
                "Use a shorter input or enable --allow-auto-truncate.",
            )
        elif limit is not None and len(waiting) >= limit:
            self._reject(request, "queue-full", "The request queue is full.")
        else:
            self._lease(request)
            driver.scheduler.enqueue(LiveRequest(request, new_tokens))

    def _lease(self, request: TraceRequest) -> None:
        driver = self._driver
        if driver.features is None or not request.image_bytes:
            return
        pool = driver.features.pool
        before = driver.ledger.counts["mm_fallbacks_total"]
        for error in driver.features.arrive(request.image_bytes, request.rid, driver.now_ns):
            if self._is_news(error.code):
                driver.raised(error, pool.name)
            else:
                driver.ledger.errors[error.code] += 1
        if driver.ledger.counts["mm_fallbacks_total"] == before:
            return
        largest, pool_mib = max(request.image_bytes) / 2**20, driver.plan.mm_bytes / 2**20
        self._tell(
            EngineEvent(
                level="warning",
                kind="alarm",
                pool=pool.name,
                code="mm-ipc-pool-full",
                message=(
                    "MmItemMemoryPool has no free chunk large enough for a "
                    f"{largest:.2f} MiB tensor (pool size: {pool_mib:.2f} MiB); "
                    "falling back to non-IPC transport. "
                    "Consider increasing SGLANG_MM_FEATURE_CACHE_MB."
                ),
                sim_t=driver.now_ns / 1e9,
                numbers={"reason": str(pool.last_failure), "rid": request.rid},
            )
        )

    def _reject(self, request: TraceRequest, code: str, message: str) -> None:
        driver = self._driver
        driver.ledger.add("rejected_total")
        driver.ledger.decided(b"j", request.rid, driver.now_ns, request.input_tokens)
        self._tell(
            EngineEvent(
                level="warning",
                kind="reject",
                code=code,
                message=message,
                sim_t=driver.now_ns / 1e9,
                numbers={"rid": request.rid, "input_tokens": request.input_tokens},
            )
        )

    def _tell(self, event: EngineEvent) -> None:
        if self._is_news(str(event.code)):
            self._driver.emit(event)

    def _is_news(self, code: str) -> bool:
        now_ns = self._driver.now_ns
        news = now_ns - self._told_ns.get(code, -FOLD_NS) >= FOLD_NS
        if news:
            self._told_ns[code] = now_ns
        return news
