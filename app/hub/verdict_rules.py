"""The verdict: one sentence, from the scalars alone. First the limit that hurts most, then health.

Each rule looks at one way to run short and returns a `Verdict` or None; `RULES` is their order,
worst first. Numbers for a flag are given only where the scalars determine them.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from app.hub.verdict import LEADS, Verdict, View, counted
from app.wire.frame import Header

#: below this share of a pool nothing is left in the sense of the next few steps
SHORT_FRAC = 0.02


def judge(scalars: Header) -> dict[str, Any]:
    """The verdict on one tick, as plain data.

    Args:
        scalars: a scalars frame: pools {name: snapshot}, engine stats, source.
    """
    lead = LEADS.get(scalars.get("source", ""), "In this simulation")
    view = View(scalars["pools"], scalars.get("engine") or {}, lead)
    for rule in RULES:
        verdict = rule(view)
        if verdict is not None:
            return asdict(verdict)
    return asdict(_healthy(view))


def _leaking(view: View) -> Verdict | None:
    for name, pool in view.pools.items():
        leaked = pool["leaked"]
        if leaked == 0:
            continue
        lost = leaked > 0
        lost_units = counted(abs(leaked), pool["unit"].removesuffix("s"), pool["unit"])
        verb = "is" if abs(leaked) == 1 else "are"
        what = f"{verb} owned {'by nobody' if lost else 'twice'}"
        books = (
            f"capacity {pool['capacity']} − available {pool['available']} − evictable "
            f"{pool['evictable']} − protected {pool['protected']} − held {pool['held']}"
        )
        return Verdict(
            text=view.say(f"{lost_units} of {name} {what}."),
            detail="A release is missing or was done twice. No size flag helps: "
            "upgrade, or switch off the feature that holds them.",
            cause_class="lost" if lost else "double_counted",
            severity="binding",
            pool=name,
            how=(f"leaked = {books} = {leaked}",),
        )
    return None


def _worn(view: View) -> Verdict | None:
    pool = view.pools.get("mm_feature")
    if pool is None or pool["generations"] is None:
        return None
    generations = pool["generations"]
    worn = pool["extra"].get("retired_slots", 0)
    if generations["max"] < generations["limit"] - 1 and not worn:
        return None
    return Verdict(
        text=view.say(
            f"feature slots are worn out: slot {generations['hottest_slot']} is at generation "
            f"{generations['max']:,} of {generations['limit']:,}."
        ),
        detail="Features that get no slot take the slow path. Restart the process that owns the "
        "pool: a worn slot's count never goes back. Afterwards a longer recycle interval "
        "(SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC) slows the wear.",
        code="mm-slot-generation-exhausted",
        cause_class="worn_generation",
        severity="binding",
        pool="mm_feature",
        how=(
            f"max generation {generations['max']} against limit {generations['limit']}",
            f"{counted(worn, 'slot', 'slots')} retired",
        ),
    )


def _kv_next_step(view: View) -> Verdict | None:
    kv, need = view.kv, view.engine.get("need_next_pages", 0)
    if kv is None or need == 0 or need <= kv["available"] + kv["evictable"]:
        return None
    free, page = kv["available"] + kv["evictable"], kv["page_size"]
    running = view.engine.get("running_reqs", 0)
    rounding = free * page >= running
    tail = (
        f" {free * page:,} free tokens look like enough for {running:,} running; "
        "page rounding is why they are not."
        if rounding and page > 1
        else ""
    )
    return Verdict(
        text=view.say(
            f"{kv['name']} binds: {free:,} of {kv['capacity']:,} {kv['unit']} can be had, "
            f"the next decode step needs {need:,}."
        ),
        detail=f"Running requests will be retracted.{tail} To hold this traffic raise the pool, "
        "or admit less: a lower --max-running-requests, a higher --schedule-conservativeness.",
        code="retract-kv-pool-full",
        cause_class="page_rounding" if tail else "shortage",
        severity="binding",
        pool=kv["name"],
        flag="--mem-fraction-static",
        direction="raise",
        how=(f"available {kv['available']} + evictable {kv['evictable']} < need {need}",),
    )


def _rows(view: View) -> Verdict | None:
    rows, queued = view.pools.get("request_slots"), view.engine.get("queued_reqs", 0)
    if rows is None or rows["available"] > 0 or queued == 0:
        return None
    since = view.engine.get("row_bound_since")
    kv = view.kv
    kv_free = (kv["available"] + kv["evictable"]) / kv["capacity"] if kv else 0.0
    for_s = f" for {view.engine['sim_t'] - since:,.0f} s" if since is not None else ""
    return Verdict(
        text=view.say(
            f"request slots bind{for_s}: all {rows['capacity']:,} rows are held, "
            f"{counted(queued, 'request waits', 'requests wait')}."
        ),
        detail=f"{kv_free:.0%} of the KV pool can still be had, so rows are the limit. "
        "Rows follow the flag; context length only widens them.",
        code="alloc-req-slots-exhausted",
        cause_class="shortage",
        severity="binding",
        pool="request_slots",
        flag="--max-running-requests",
        direction="raise",
        number=rows["capacity"] + queued,
        how=(
            f"rows available {rows['available']} = 0 and queued {queued} > 0",
            f"number = rows {rows['capacity']} + waiting {queued}, if the KV pool holds them",
        ),
    )


def _kv_admission(view: View) -> Verdict | None:
    kv, queued = view.kv, view.engine.get("queued_reqs", 0)
    if kv is None or queued == 0 or view.engine.get("admission_blocked_by") != "tokens":
        return None
    free = kv["available"] + kv["evictable"]
    return Verdict(
        text=view.say(
            f"KV binds admission: {counted(queued, 'request waits', 'requests wait')} for tokens, "
            f"{free:,} of {kv['capacity']:,} {kv['unit']} can be had."
        ),
        detail="What running requests may still generate is reserved. A larger pool admits more; "
        "a lower --schedule-conservativeness reserves less and retracts more.",
        code="retract-kv-pool-full",
        cause_class="shortage",
        severity="warning",
        pool=kv["name"],
        flag="--mem-fraction-static",
        direction="raise",
        confidence="likely",
        how=(
            f"first waiting request failed the token test; available {kv['available']} + "
            f"evictable {kv['evictable']}; new_token_ratio "
            f"{view.engine.get('new_token_ratio', 0):.3f}",
        ),
    )


def _feature_pool(view: View) -> Verdict | None:
    pool = view.pools.get("mm_feature")
    if pool is None or pool["free_ranges"] is None:
        return None
    ranges, leases = pool["free_ranges"], pool["leases"] or {}
    if ranges["total"] < SHORT_FRAC * pool["capacity"]:
        slow = max(range(len(leases["outstanding"])), key=leases["outstanding"].__getitem__)
        return Verdict(
            text=view.say(
                f"the feature pool is full: {counted(leases['count'], 'lease', 'leases')}, "
                f"{leases['outstanding'][slow]:,} of them waiting for consumer {slow}."
            ),
            detail=f"The oldest lease is {leases['oldest_age_s']:.1f} s old. New features take the "
            "slow path over host memory; nothing fails.",
            code="mm-ipc-pool-full",
            cause_class="shortage",
            severity="warning",
            pool="mm_feature",
            flag="SGLANG_MM_FEATURE_CACHE_MB",
            direction="raise",
            how=(f"free {ranges['total']} of {pool['capacity']} bytes",),
        )
    if ranges["external_fragmentation_frac"] <= 0.75 or ranges["count"] <= 8:
        return None
    return Verdict(
        text=view.say(
            f"the feature pool is fragmented: {ranges['total'] / 2**20:,.0f} MiB are free in "
            f"{ranges['count']:,} ranges, the largest request that fits is "
            f"{ranges['largest_fit_now'] / 2**20:,.1f} MiB."
        ),
        detail=f"After a merge {ranges['largest_fit_after_merge'] / 2**20:,.1f} MiB would fit. "
        "Larger features take the slow path meanwhile.",
        code="mm-ipc-pool-full",
        cause_class="fragmentation",
        severity="warning",
        pool="mm_feature",
        flag="SGLANG_MM_FEATURE_CACHE_MB",
        direction="raise",
        how=(f"1 − largest {ranges['largest']} / free {ranges['total']}",),
    )


def _healthy(view: View) -> Verdict:
    kv = view.kv
    running, queued = view.engine.get("running_reqs", 0), view.engine.get("queued_reqs", 0)
    if kv is None:
        return Verdict(text=view.say("no limit binds."), cause_class=None)
    free = kv["available"] + kv["evictable"]
    runs = counted(running, "request runs", "requests run")
    waiting = f", {counted(queued, 'waits for its', 'wait for their')} turn" if queued else ""
    cached = kv["evictable"]
    warm = f" {cached:,} of them hold cached prefixes, which go when needed." if cached else ""
    return Verdict(
        text=view.say(
            f"no limit binds: {runs}{waiting}; "
            f"{free:,} of {kv['capacity']:,} {kv['unit']} can be had."
        ),
        detail=f"Nothing is leaked.{warm}",
        cause_class=None,
        pool=kv["name"],
        how=(f"available {kv['available']} + evictable {kv['evictable']} = {free}",),
    )


RULES: tuple[Callable[[View], Verdict | None], ...] = (
    _leaking,
    _worn,
    _kv_next_step,
    _rows,
    _kv_admission,
    _feature_pool,
)
