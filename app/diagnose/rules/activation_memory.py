"""CUDA out of memory: what is outside the pools had no room."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule

LOW_USAGE_FRAC = 0.5


def _answer(case: Case) -> Answer | None:
    if case.event is None:
        return None
    capture = case.name == "cuda-graph-capture-oom"
    words = f"{case.event.numbers.get('reason', '')} {case.event.first.text}"
    if capture and "out of memory" not in words:
        return Answer(
            text="Graph capture failed, and not for memory: read the words after the colon. No "
            "size flag helps.",
            cause_class="unknown",
            confidence="likely",
            how="the reason printed with the message is no out of memory",
            open=(Open(what="what failed in the capture", settles="the rest of that line"),),
        )
    return _no_room(case, capture)


def _no_room(case: Case, capture: bool) -> Answer:
    need, free = _size(case, "need"), _size(case, "free")
    numbers = f" {need} were asked for" + (f", {free} were free." if free else ".") if need else ""
    reading = case.log.before(case.event) if case.event else None
    usage = reading.usage_frac if reading else None
    low = usage is not None and usage < LOW_USAGE_FRAC
    idle = f" Token usage was {usage:.2f}: it is not the KV pool that is full." if low else ""
    what = (
        "The pools took the room that CUDA graphs need"
        if capture
        else "The GPU had no room outside the pools, for activations, logits or images"
    )
    return Answer(
        text=f"{what}.{numbers}{idle} Lower `--mem-fraction-static` (a pool that is empty at "
        "start wants the opposite), or make the step smaller.",
        cause_class="activation_memory",
        confidence="likely",
        flag="--mem-fraction-static",
        direction="lower",
        how="the allocation failed on the GPU, outside the pools, whose memory is taken at start"
        + (f"; token usage {usage:.2f}" if low else ""),
        advice=_advice(capture),
        open=()
        if low or capture
        else (
            Open(
                what="whether memory grows with each request",
                settles="`Memory pool end. avail mem=` beside the free figure of this message",
            ),
        ),
    )


def _advice(capture: bool) -> tuple[Advice, ...]:
    first = Advice(
        text="Lower `--mem-fraction-static` by 0.02 to 0.05 at a time.",
        flag="--mem-fraction-static",
        direction="lower",
    )
    if capture:
        return (
            first,
            Advice(
                text="Lower the largest captured batch; drop `--enable-torch-compile` if it is on.",
                flag="--cuda-graph-max-bs-decode",
                direction="lower",
            ),
        )
    return (
        first,
        Advice(text="Smaller prefill steps.", flag="--chunked-prefill-size", direction="lower"),
        Advice(text="With images or long log-probabilities: fewer per request, or fewer at once."),
    )


def _size(case: Case, name: str) -> str:
    numbers = case.event.numbers if case.event else {}
    for unit in ("mib", "gib"):
        if f"{name}_{unit}" in numbers:
            return f"{numbers[f'{name}_{unit}']:g} {unit[0].upper()}iB"
    if name not in numbers:
        return ""
    return f"{numbers[name]:g} {numbers.get(f'{name}_unit', '')}".strip()


RULE = Rule(
    name="lower-at-run-time",
    states="A CUDA out of memory is outside the pools, whose memory is taken at start: it wants a "
    "smaller static share, the opposite of a pool that is empty at start.",
    order=50,
    about=("cuda-graph-capture-oom", "gpu-out-of-memory", "trtllm-out-of-memory"),
    answer=lambda case: None if case.name.startswith("trtllm") else _answer(case),
)
