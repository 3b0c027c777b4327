"""Host memory against the host pool."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

#: what the check keeps back: 10 GiB, in the message's GB
RESERVE_GB = 10 * 2**30 / 1e9


def _answer(case: Case) -> Answer | None:
    if case.name == "host-pool-smaller-than-device":
        return _smaller(case)
    asked, free = case.number("requested_gb"), case.number("available_gb")
    if asked is None or free is None:
        return None
    if asked <= free:
        return _reserve(asked, free)
    return Answer(
        text=f"The host pool asks for {count(asked)} GB and {count(free)} GB are free for it. "
        "Lower `--hicache-size` or `--hicache-ratio`: both are per rank and per pool. Memory "
        "reserved as huge pages counts as used: give it back if there is any.",
        cause_class="host_budget",
        confidence="likely",
        flag="--hicache-size",
        direction="lower",
        number=round(free, 2),
        how=f"requested {count(asked)} > free {count(free)} GB, of one rank and pool",
        open=(
            Open(
                what="whether huge pages or the container's limit take the memory",
                settles="`grep Huge /proc/meminfo` and the container's memory limit",
            ),
        ),
    )


def _reserve(asked: float, free: float) -> Answer:
    fits = max(0.0, free - RESERVE_GB)
    return Answer(
        text=f"The host pool asks for {count(asked)} GB; {count(free)} GB are free, of which "
        f"10 GiB are kept back, so {count(fits)} GB fit. Lower `--hicache-size` to at most "
        f"{count(int(fits))} per rank and pool.",
        cause_class="host_budget",
        confidence="certain",
        flag="--hicache-size",
        direction="lower",
        number=float(int(fits)),
        how=f"free {free:g} GB - 10 GiB ({RESERVE_GB:.2f} GB) = {fits:.2f} GB < requested "
        f"{asked:g}; divide by the ranks that start at once on this host",
        advice=(
            Advice(
                text=f"Lower `--hicache-size` to at most {count(int(fits))}.",
                flag="--hicache-size",
                direction="lower",
                number=float(int(fits)),
            ),
        ),
    )


def _smaller(case: Case) -> Answer | None:
    host, device = case.number("host_tokens"), case.number("device_tokens")
    if not host or not device:
        return None
    now = host / device
    return Answer(
        text=f"The host pool holds {count(host)} tokens and the device pool {count(device)}: it "
        "fills with copies of what is on the device, and storage starves. Raise `--hicache-ratio` "
        f"from {now:.2f} to above 1.",
        cause_class="host_budget",
        confidence="certain",
        flag="--hicache-ratio",
        direction="raise",
        number=2.0,
        how=f"{count(host)} / {count(device)} = {now:.2f} <= 1; 2.0 is the default",
    )


RULE = Rule(
    name="host-budget",
    states="A host pool must fit what is free less 10 GiB, per rank and pool, and must be larger "
    "than the device pool that it backs.",
    order=62,
    about=("host-memory-insufficient", "host-pool-smaller-than-device"),
    answer=_answer,
)
