"""The default: a story in its first minute, then steady load for ever."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.engine.faults import fault
from app.engine.scenario import Scenario, mark
from app.engine.traffic import Phase, Traffic

if TYPE_CHECKING:
    from app.engine.driver import Driver

SMALL, LARGE = (0.5, 1, 2, 4), (2, 3, 4, 6, 44)
PHASES = (
    Phase(
        21,
        rate=9.0,
        prompt=7_000,
        output=1_300,
        output_spread=0.12,
        sessions=400,
        image_share=0.15,
        image_mib=SMALL,
    ),
    Phase(14, 3.0, prompt=700, output=200, sessions=60, image_share=1.0, image_mib=LARGE),
    Phase(60, 2.2, prompt=900, output=250, sessions=40, image_share=0.3, image_mib=SMALL),
)
SILENT_AT_S, SILENT_S, ERROR_AT_S, RECOVERED_AFTER_S = 22.0, 12.0, 46.0, 48.0
FULL_FRAC, WORTH_TELLING_MIB = 0.5, 16


class FirstMinute:
    """Says each chapter when it really happens, in any order, once."""

    def __init__(self) -> None:
        self._open: dict[str, Callable[[Driver], str | None]] = {
            "fill": _filled,
            "reuse": _reused,
            "retraction": _retracted,
            "fragmentation": _fragmented,
            "recovery": _recovered,
        }
        self._acts: list[tuple[float, str, dict[str, object]]] = [
            (SILENT_AT_S, "silent-consumer", {"seconds": SILENT_S, "share": 0.6}),
            (ERROR_AT_S, "unaligned-host-alloc", {}),
        ]

    def after_step(self, driver: "Driver") -> None:
        """Tell what has come true, then act if an act is due."""
        for chapter, tell in list(self._open.items()):
            text = tell(driver)
            if text is not None:
                del self._open[chapter]
                mark(driver, chapter, text)
        if self._acts and driver.now_ns / 1e9 >= self._acts[0][0]:
            _, name, params = self._acts.pop(0)
            self._act(driver, name, params)

    def _act(self, driver: "Driver", name: str, params: dict[str, object]) -> None:
        try:
            done = fault(name).inject(driver, **params)
        except ValueError as error:
            mark(driver, "skipped", f"{name} cannot be shown here: {error}")
            return
        if done.get("raised"):
            mark(driver, "error", f"A caller broke a rule: {done['raised']}. Its link explains it.")


def _filled(driver: "Driver") -> str | None:
    kv = driver.set.kv
    free = kv.available_size() / kv.size
    if free > FULL_FRAC:
        return None
    return f"The KV pool fills: {free:.0%} of its {kv.size:,} tokens are free."


def _reused(driver: "Driver") -> str | None:
    hits = driver.ledger.counts["prefix_hit_tokens_total"]
    total = driver.ledger.counts["prompt_tokens_total"]
    if hits < 50_000:
        return None
    return f"Prefixes are reused: {hits:,} of {total:,} prompt tokens were in the tree already."


def _retracted(driver: "Driver") -> str | None:
    if not driver.ledger.counts["retracted_total"]:
        return None
    return "Decode ran out of pages: a running request was retracted and will be prefilled again."


def _fragmented(driver: "Driver") -> str | None:
    if driver.features is None:
        return None
    pool = driver.features.pool
    if pool.last_failure not in ("no_hole", "unmerged"):
        return None
    free_mib = pool.space.total / 2**20
    if free_mib < WORTH_TELLING_MIB:
        return None
    return (
        f"The feature pool is fragmented: {free_mib:,.0f} MiB are free, yet no hole took the next "
        "image. It went the slow path."
    )


def _recovered(driver: "Driver") -> str | None:
    calm = not driver.scheduler.prefill.waiting and driver.now_ns / 1e9 > RECOVERED_AFTER_S
    if not calm:
        return None
    running = len(driver.scheduler.running)
    return f"Recovered: nothing waits, {running} requests run, the cache stays warm."


SCENARIO = Scenario(
    name="first-minute",
    title="The first minute",
    look="Fill, prefix reuse, a retraction, a fragmented feature pool, an error of the catalog, "
    "recovery - captions name each as it happens. Afterwards steady traffic for ever.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    story=FirstMinute,
)
