"""Each rule on a log of its own: cause, direction, number and how sure it may be."""

import pytest

from app.catalog.catalog import CATALOG
from app.diagnose.judge import all_rules
from app.diagnose.signs import BY_NAME
from tests.diagnose.logs import ROWS, at, batch, crash, explained, kv_oom, parts

LOADED = (
    at(1) + "Load weight begin. avail mem=80.00 GB\n"
    + at(2) + "Load weight end. elapsed=1.00 s, type=M, avail mem=8.00 GB, mem usage=72.00 GB."
)  # fmt: skip
LEAK = "pool memory leak detected! "
#: what is printed, then: code, cause, flag, direction, number, confidence, rule
CASES = {
    "leak above zero": (
        [crash(9, LEAK + parts(1_000, 100, 850))],
        ("pool-leak-idle", "lost", None, "none", None, "certain", "signed-residual"),
    ),
    "leak below zero": (
        [crash(9, LEAK + parts(1_000, 200, 850))],
        ("pool-leak-idle", "double_counted", None, "none", None, "certain", "signed-residual"),
    ),
    "negative protected": (
        [crash(9, LEAK + parts(1_000, 1_000, 0, -12))],
        ("pool-leak-idle", "double_counted", None, "none", None, "certain", "signed-residual"),
    ),
    "the named pool balances, the state pool does not": (
        [crash(9, LEAK + parts(1_000, 150, 850) + "\n" + parts(64, 40, 23, pool="mamba"))],
        ("pool-leak-idle", "lost", None, "none", None, "likely", "signed-residual"),
    ),
    "a running request is no leak": (
        [crash(9, "SWA Pool Mem Leak Detected! " + parts(1_000, 100, 700, 50, uncached=250))],
        ("swa-pool-leak-busy", "double_counted", None, "none", None, "certain", "signed-residual"),
    ),
    "a lost row": (
        [crash(9, "req_to_token_pool memory leak detected!available_size=255, session_held=0, "
                  "total_size=256")],
        ("req-pool-leak-idle", "lost", None, "none", None, "certain", "lost-rows"),
    ),
    "more free than needed": (
        [crash(9, kv_oom("Decode", 40, 512))],
        ("kv-decode-oom", "page_rounding", None, "none", None, "likely", "page-rounding"),
    ),
    "evictable was out of reach": (
        [crash(9, kv_oom("Prefill", 512, 480, 9_000))],
        ("kv-prefill-oom", "admission_bug", "--chunked-prefill-size", "lower", 480.0, "likely",
         "unreachable-eviction"),
    ),
    "full": (
        [batch(8, running=10, tokens=10_000, usage=1.0), crash(9, kv_oom("Prefill", 1_500, 0))],
        ("kv-prefill-oom", "shortage", "--max-running-requests", "lower", 8, "likely", "pool-full"),
    ),
    "rows gone, memory idle": (
        [batch(8, usage=0.02), crash(9, ROWS.format(free=1, wanted=2))],
        ("alloc-req-slots-exhausted", "admission_bug", None, "none", None, "certain",
         "slots-against-usage"),
    ),
    "rows gone, memory full": (
        [batch(8, usage=0.97), crash(9, ROWS.format(free=1, wanted=2))],
        ("alloc-req-slots-exhausted", "admission_bug", None, "none", None, "likely",
         "slots-against-usage"),
    ),
    "start without figures": (
        [crash(3, "Not enough memory. Please try to increase --mem-fraction-static.")],
        ("not-enough-memory-kv", "startup_fraction_low", "--mem-fraction-static", "raise", None,
         "certain", "raise-at-start"),
    ),
    "start with figures": (
        [LOADED, crash(3, "Not enough memory. Please try to increase --mem-fraction-static.")],
        ("not-enough-memory-kv", "startup_fraction_low", "--mem-fraction-static", "raise", 0.91,
         "likely", "raise-at-start"),
    ),
    "negative profile": (
        [at(3) + "max_total_tokens=5000 is larger than the profiled value -70. Use the profiled "
                 "value instead.",
         crash(4, "Not enough memory. Please try to increase --mem-fraction-static.")],
        ("max-total-tokens-above-profile", "startup_fraction_low", "--mem-fraction-static", "raise",
         None, "likely", "negative-profile"),
    ),
    "states bind, not tokens": (
        [at(3) + "max_running_requests was reduced from the requested 128 to 50 (per dp worker) "
                 "due to the available KV cache capacity.",
         at(4) + "max_total_num_tokens=900000, chunked_prefill_size=8192, context_len=32768"],
        ("max-running-requests-reduced", "side_pool_short", "--max-mamba-cache-size", "raise", None,
         "certain", "binding-cap"),
    ),
    "tokens bind": (
        [at(3) + "max_running_requests was reduced from the requested 128 to 50 (per dp worker) "
                 "due to the available KV cache capacity.",
         at(4) + "max_total_num_tokens=100, chunked_prefill_size=8192, context_len=32768"],
        ("max-running-requests-reduced", "shortage", "--mem-fraction-static", "raise", None,
         "certain", "binding-cap"),
    ),
    "unequal cards": (
        [crash(2, "The memory capacity is unbalanced. Some GPUs may be occupied by other "
                  "processes. pre_model_load_memory=40.0, local_gpu_memory=79.0, "
                  "local_gpu_memory * 0.9=71.1")],
        ("tp-memory-unbalanced", "other_process", None, "none", None, "likely", "other-process"),
    ),
    "someone else on the card": (
        [at(1) + "Load weight begin. avail mem=40.00 GB",
         crash(9, "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
                  "79.10 GiB of which 210.00 MiB is free.")],
        (None, "other_process", None, "none", None, "likely", "other-process"),
    ),
    "activations": (
        [at(1) + "Load weight begin. avail mem=78.00 GB", batch(8, usage=0.05),
         crash(9, "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
                  "79.10 GiB of which 210.00 MiB is free.")],
        (None, "activation_memory", "--mem-fraction-static", "lower", None, "likely",
         "lower-at-run-time"),
    ),
    "graph capture": (
        [crash(9, "Capture cuda graph failed: CUDA out of memory. Tried to allocate 2.00 GiB.")],
        ("cuda-graph-capture-oom", "activation_memory", "--mem-fraction-static", "lower", None,
         "likely", "lower-at-run-time"),
    ),
    "graph capture, not memory": (
        [crash(9, "Capture cuda graph failed: Connection closed by peer")],
        ("cuda-graph-capture-oom", "unknown", None, "none", None, "likely", "lower-at-run-time"),
    ),
    "ranks hang": (
        [parts(10_000, 20, 9_000, 900),
         at(9) + "Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"],
        (None, "rank_hang", "--enable-hierarchical-cache", "none", None, "likely",
         "hang-against-shortage"),
    ),
    "saturated under a watchdog": (
        [parts(10_000, 20, 80, 9_900),
         at(9) + "Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"],
        (None, "shortage", "--max-running-requests", "lower", None, "likely",
         "hang-against-shortage"),
    ),
    "a watchdog alone": (
        [at(9) + "Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"],
        (None, "unknown", None, "none", None, "unknown", "hang-against-shortage"),
    ),
    "host memory, reserve": (
        [crash(9, "Not enough host memory available. Requesting 40.00 GB but only have 44.87 GB "
                  "free. Please reduce the size of the hierarchical cache.")],
        ("host-memory-insufficient", "host_budget", "--hicache-size", "lower", 34.0, "certain",
         "host-budget"),
    ),
    "host memory, plainly short": (
        [crash(9, "Not enough host memory available. Requesting 40.00 GB but only have 4.00 GB "
                  "free. Please reduce the size of the hierarchical cache.")],
        ("host-memory-insufficient", "host_budget", "--hicache-size", "lower", 4.0, "likely",
         "host-budget"),
    ),
    "states ran out": (
        [crash(9, "Not enough space for mamba ping pong idx, try to increase "
                  "--mamba-full-memory-ratio.")],
        ("mamba-ping-pong-exhausted", "side_pool_short", "--max-mamba-cache-size", "raise", None,
         "likely", "side-pool"),
    ),
    "another engine is never certain": (
        ["ERROR 04-30 10:20:36 [core.py:396] ValueError: No available memory for the cache blocks. "
         "Try increasing `gpu_memory_utilization` when initializing the engine."],
        (None, "startup_fraction_low", "--gpu-memory-utilization", "raise", None, "likely",
         "other-engine"),
    ),
    "one below the limit, with a queue": (
        [at(1) + "max_total_num_tokens=90000, max_running_requests=16, context_len=4096",
         batch(5, running=15, queued=2), batch(9, running=15, queued=3)],
        (None, "admission_bug", "--max-running-requests", "raise", 17.0, "likely",
         "usage-without-error"),
    ),
    "saturated without an error": (
        [batch(5, usage=0.99, running=40, queued=9)],
        (None, "shortage", "--max-running-requests", "lower", None, "likely",
         "usage-without-error"),
    ),
    "healthy": (
        [batch(5, usage=0.4)],
        (None, "unknown", None, "none", None, "unknown", "nothing-known"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "wanted"), CASES.values(), ids=CASES.keys())
def test_rule(lines: list[str], wanted: tuple[object, ...]) -> None:
    found = explained(*lines)
    answer = found.answer
    assert (
        found.event.code if found.event else None,
        answer.cause_class,
        answer.flag,
        answer.direction,
        answer.number,
        found.confidence,
        found.rule.name,
    ) == wanted
    assert found.found == (wanted[-1] != "nothing-known")


def test_retraction_is_recovery_length_or_a_fault() -> None:
    retract = (
        "KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 9, "
        "#new_token_ratio: 0.1000 -> 0.2000"
    )
    often = explained(at(5) + retract, at(25) + retract.replace("0.2000", "0.3000"))
    assert (often.answer.cause_class, often.answer.number) == ("recovered", 1.3)
    assert "every 20 s" in often.text
    few = explained(batch(4, running=2, tokens=90_000, usage=0.99), at(5) + retract)
    assert (few.answer.cause_class, few.answer.flag) == ("shortage", "max_new_tokens")
    stuck = batch(9, running=0) + "#retracted-req: 1, "
    hung = explained(at(5) + retract, stuck)
    assert hung.answer.cause_class == "admission_bug"


def test_a_residual_of_whole_pages_is_said_in_pages() -> None:
    start = at(1) + "server_args=ServerArgs(model_path='m', page_size=64, tp_size=1)"
    found = explained(start, crash(9, LEAK + parts(1_024, 512, 384)))
    assert "(2 pages of 64)" in found.text


def test_page_size_one_cannot_round() -> None:
    start = at(1) + "server_args=ServerArgs(model_path='m', page_size=1)"
    found = explained(start, crash(9, kv_oom("Decode", 40, 512)))
    assert found.answer.cause_class != "page_rounding"


def test_each_statement_has_its_rule_and_its_confidence() -> None:
    names = {rule.name for rule in all_rules()}
    assert len(names) == len(all_rules())
    for lines, _ in CASES.values():
        found = explained(*lines)
        assert found.statements[0].rule in names
        for statement in found.statements:
            assert statement.rule
            assert statement.confidence in ("certain", "likely", "unknown")


def test_rules_speak_of_codes_and_signs_that_exist() -> None:
    for rule in all_rules():
        for name in rule.about:
            known = name in CATALOG.by_code or name in BY_NAME
            assert known or name == "pd-decode-req-slots-full", (rule.name, name)
        assert rule.states.endswith(".")
