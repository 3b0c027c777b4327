"""What logs say that is no entry of the catalog: ends, consequences, and other engines' words."""

import re
from dataclasses import dataclass
from typing import Literal

#: `fatal` ends the server or its use; `consequence` follows from something else; `hint` supports
Kind = Literal["fatal", "consequence", "hint"]


@dataclass(frozen=True, slots=True)
class Sign:
    """A line that is recognised.

    Attributes:
        anchors: literals, each of which is the line's mark.
        says: in a few words, for the list of what was found.
        pattern: reads numbers from the text around; without a match there is no sign when `strict`.
        engine: whose log it must be, or None.
    """

    name: str
    anchors: tuple[str, ...]
    kind: Kind
    says: str
    pattern: re.Pattern[str] | None = None
    strict: bool = False
    engine: str | None = None


_SIZE = r"\d{1,6}(?:\.\d{1,4})?"

SIGNS = (
    Sign(
        "gpu-out-of-memory",
        (
            "CUDA out of memory. Tried",
            "HIP out of memory. Tried",
            "NPU out of memory. Tried",
            "OutOfMemoryError",
            "CUDA error: out of memory",
        ),
        "fatal",
        "the GPU had no memory for an allocation outside the pools",
        re.compile(
            rf"Tried to allocate (?P<need>{_SIZE}) (?P<need_unit>[KMG]iB)"
            rf"(?:[^\r\n]{{0,80}}?total capacity of (?P<card_gib>{_SIZE}) GiB)?"
            rf"(?:[^\r\n]{{0,40}}?of which (?P<free>{_SIZE}) (?P<free_unit>[KMG]iB) is free)?"
        ),
    ),
    Sign(
        "watchdog-timeout",
        ("atchdog timeout (",),
        "fatal",
        "the scheduler made no step for the watchdog's time",
        re.compile(r"watchdog_timeout=(?P<timeout_s>\d{1,6})"),
    ),
    Sign(
        "collective-timeout",
        ("caught collective operation timeout",),
        "fatal",
        "a collective between ranks did not finish",
    ),
    Sign("pool-dump", ("[full] total=", "[swa] total=", "[mamba] total="), "hint",
         "the parts of the pools, printed by a check or by the watchdog"),
    Sign(
        "child-died",
        ("Received sigquit from a child", "SIGQUIT received."),
        "consequence",
        "a process of the server died; the reason is elsewhere in the log",
    ),
    Sign(
        "health-check-failed",
        (
            "Health check failed",
            "couldn't get a response from detokenizer",
            "couldn't get a response from the scheduler",
        ),
        "consequence",
        "a health check was not answered in time",
    ),
    Sign("process-killed", (" Killed  ",), "consequence", "the shell reports a killed process"),
    Sign(
        "host-out-of-memory",
        ("OOMKilled", "Out of memory: Killed process", "oom-kill:"),
        "fatal",
        "the kernel or the container runtime ended a process for its host memory",
    ),
    Sign(
        "backup-thread-died",
        ("(backup_thread_func)",),
        "fatal",
        "the thread that writes prefixes to storage died and is not restarted",
    ),
    Sign(
        "ipc-handle-failed",
        ("Failed to deserialize from CUDA IPC handle",),
        "consequence",
        "a feature could not be handed over between processes",
    ),
    Sign(
        "lora-batch-assert",
        ("len(cur_uids) <= self.max_loras_per_batch",),
        "fatal",
        "a batch held more adapters than there are slots",
    ),
    Sign(
        "vllm-no-cache-blocks",
        ("No available memory for the cache blocks",),
        "fatal",
        "vLLM: nothing is left for the KV cache at start",
        engine="vllm",
    ),
    Sign(
        "trtllm-component-failed",
        ("Executor creation failed due to insufficient GPU memory",),
        "fatal",
        "TensorRT-LLM: a component found no GPU memory",
        engine="tensorrt-llm",
    ),
    Sign(
        "trtllm-out-of-memory",
        ("CUDA runtime error in",),
        "fatal",
        "TensorRT-LLM: an allocation on the GPU failed",
        re.compile(r"CUDA runtime error in [^\r\n]{1,200}?: (?P<reason>out of memory)"),
        strict=True,
        engine="tensorrt-llm",
    ),
    Sign(
        "lmcache-no-block",
        ("Failed to allocate memory block", "Failed to allocate memory object",
         "Failed to allocate memory for the KV cache"),
        "fatal",
        "LMCache: no block for a store",
        engine="lmcache",
    ),
    Sign(
        "lmcache-block-too-small",
        ("block size ",),
        "hint",
        "LMCache: a free block is smaller than what is asked",
        re.compile(r"block size (?P<block>\d{1,15}) vs\. aligned (?P<need>\d{1,15})"),
        strict=True,
        engine="lmcache",
    ),
    Sign(
        "window-pool-exhausted",
        ("SWA pool exhausted: need ",),
        "fatal",
        "another engine: its window pool is short",
        re.compile(r"need (?P<need>\d{1,12}), have (?P<have>\d{1,12})"),
        engine="other",
    ),
)  # fmt: skip
BY_NAME = {sign.name: sign for sign in SIGNS}
#: heads under which a scheduler's own traceback is printed
DEATH_HEADS = (
    "Scheduler hit an exception",
    "TpModelWorkerClient hit an exception",
    "Exception in ModelTpServer",
    "Exception in ModelRpcClient",
    "router init state: Traceback",
)
#: marks of an engine's own log lines
ENGINES = {
    "vllm": (
        "EngineCore", "[engine.py:", "[core.py:", "llm_engine.py:", "vllm/", "GPU KV cache usage",
    ),
    "tensorrt-llm": ("[TRT-LLM]", "[TensorRT-LLM]"),
    "lmcache": ("LMCache ",),
    "other": ("SWA pool exhausted: need ",),
}  # fmt: skip
EXCEPTION = re.compile(
    r"(?:^|[\s\]|\x22])((?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit))"
    r"(?:: ([^\r\n]{0,300})|[ \t]{0,4}$)"
)
EXCEPTION_ANCHORS = ("Error: ", "Exception: ", "AssertionError", "KeyboardInterrupt")
