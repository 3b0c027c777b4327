"""What a server says while it starts: flags, memory, release."""

import pytest

from app.diagnose.diagnose import diagnose_text
from app.diagnose.version import WORDINGS, Version
from tests.diagnose.logs import at, batch, crash, explained, kv_oom

DATACLASS = (
    "server_args=ServerArgs(model_path='m', tokenizer_path='m', tp_size=8, page_size=64, "
    "mem_fraction_static=0.88, max_running_requests=None, disable_radix_cache=False, "
    "enable_hierarchical_cache=True, kv_cache_dtype='fp8_e5m2', log_level='info', "
    "lora_target_modules=['q_proj', 'k_proj'])"
)
MAPPING = (
    "server_args={'model_path': 'm', 'tp_size': 8, 'page_size': 64, 'mem_fraction_static': 0.88, "
    "'max_running_requests': None, 'disable_radix_cache': False, "
    "'enable_hierarchical_cache': True, 'kv_cache_dtype': 'fp8_e5m2', 'log_level': 'info'}"
)
COMMAND = (
    "python3 -m sglang.launch_server --model-path m --tp-size 8 --page-size=64 "
    "--mem-fraction-static 0.88 --enable-hierarchical-cache --kv-cache-dtype fp8_e5m2 --port 1"
)
SAME = {
    "--tp-size": "8",
    "--page-size": "64",
    "--mem-fraction-static": "0.88",
    "--kv-cache-dtype": "fp8_e5m2",
}


@pytest.mark.parametrize("line", [DATACLASS, MAPPING, COMMAND])
def test_flags(line: str) -> None:
    flags = explained(at(1, "") + line).log.startup.flags
    assert flags.pop("--enable-hierarchical-cache").lower() == "true"
    flags.pop("--lora-target-modules", None)
    assert flags == SAME


def test_figures_of_the_tightest_rank() -> None:
    found = explained(
        at(1, "TP0") + "Load weight begin. avail mem=79.10 GB",
        at(1, "TP1") + "Load weight begin. avail mem=61.50 GB",
        at(2, "TP1") + "Load weight end. type=M, dtype=torch.bfloat16, avail mem=20.00 GB, "
        "mem usage=41.50 GB.",
        at(3, "TP0") + "KV Cache is allocated. dtype: torch.bfloat16, #tokens: 90112, K size: 1 GB",
        at(3, "TP0") + "Memory pool end. avail mem=5.25 GB",
        at(4, "TP0") + "max_total_num_tokens=90112, chunked_prefill_size=8192, "
        "max_prefill_tokens=16384, max_running_requests=48, context_len=4096, "
        "available_gpu_mem=4.75 GB",
    )
    assert found.log.startup.figures == {
        "free_before_weights_gb": 61.5,
        "free_after_weights_gb": 20.0,
        "weights_gb": 41.5,
        "kv_tokens": 90_112,
        "free_after_pools_gb": 5.25,
        "max_total_num_tokens": 90_112,
        "chunked_prefill_size": 8_192,
        "max_prefill_tokens": 16_384,
        "max_running_requests": 48,
        "context_len": 4_096,
        "free_when_ready_gb": 4.75,
    }


def test_a_restart_does_not_replace_what_the_server_failed_with() -> None:
    filler = [batch(second) for second in range(2_000)]
    found = explained(
        at(1) + "max_total_num_tokens=100, context_len=9",
        crash(9, kv_oom("Prefill", 9, 1)),
        *filler,
        at(20) + "server_args=ServerArgs(model_path='m', page_size=64)",
        *filler,
    )
    assert found.log.startup.flags == {}


@pytest.mark.parametrize(
    ("line", "release"),
    [
        ("Successfully installed sglang-0.5.3.post3", "0.5.3.post3"),
        ("image lmsysorg/sglang:v0.5.12-cu126", "0.5.12"),
        ("sglang==0.4.6.post5", "0.4.6.post5"),
        ("SGLang version: 0.5.23", "0.5.23"),
        ("sgl-kernel 0.3.9 and sglang-router 0.2.1", None),
    ],
)
def test_release_as_said(line: str, release: str | None) -> None:
    assert explained(line).log.version.exact == release


def test_release_by_its_words() -> None:
    newer = explained(batch(1)).log.version
    assert newer.bounds == ("0.5.3", None)
    assert newer.modelled is None
    older = explained(batch(1).replace("batch,", "batch.")).log.version
    assert older.bounds == (None, "0.5.6")
    assert older.modelled is False


def test_words_that_contradict_each_other_bound_nothing() -> None:
    version = Version()
    version.words = {one.words: 1 for one in WORDINGS}
    assert version.bounds == (None, None)
    assert version.describe() == ""


def test_a_release_that_is_not_the_catalogs_is_said_in_the_verdict() -> None:
    oom = crash(9, kv_oom("Prefill", 9, 1))
    assert "SGLang 0.4.9" in diagnose_text(f"sglang==0.4.9\n{oom}").text
    assert "before 0.5.6" in explained(batch(1).replace("batch,", "batch."), oom).text
    assert "catalog was written" not in diagnose_text(f"sglang==0.5.23\n{oom}").text
