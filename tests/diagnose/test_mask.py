"""Nothing private is shown, and nothing that a diagnosis needs is hidden."""

import pytest

from app.diagnose.diagnose import diagnose_text
from app.diagnose.document import document
from app.diagnose.mask import MAX_SHOWN, mask, shown
from app.diagnose.render_text import render
from tests.diagnose.logs import at, crash, kv_oom

#: in two pieces: no file of the project names somebody's folder
HOME = "/ho" + "me/"
PRIVATE = {
    "api_key='sk-abc123456789def'": ["abc123456789def"],
    "--api-key swordfish --tp 8": ["swordfish"],
    '"api_key": "swordfish"': ["swordfish"],
    "Authorization: Bearer abcdefghijklmnop": ["abcdefghijklmnop"],
    "HF_TOKEN=hf_AbCdEfGhIjKlMn": ["hf_AbCd", "GhIjKlMn"],
    "password = hunter2hunter2": ["hunter2"],
    "AKIAIOSFODNN7EXAMPLE": ["IOSFODNN"],
    "ghp_abcdefghijklmnopqrst": ["abcdefgh"],
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln": ["eyJhbG"],
    "client 10.21.7.200:53412 connected": ["10.21.7.200", "53412"],
    "peer fe80::1ff:fe23:4567:890a": ["fe80"],
    "peer 2001:db8:85a3:0:0:8a2e:370:7334": ["2001", "7334"],
    "http://gpu-node-7:30000/v1": ["gpu-node-7"],
    "https://user:pw@models.example.com/x?token=abcdef": ["pw@", "example", "abcdef"],
    "from llm7.prod.example.internal": ["llm7", "example"],
    "host='gpu-node-7', port=30000": ["gpu-node-7"],
    "dist_init_addr='gpu-node-7:5000'": ["gpu-node-7"],
    HOME + "alice/venv/lib": ["alice"],
    "/Users/alice/x and C:\\Users\\alice\\x": ["alice"],
    "mail alice.smith@example.org now": ["alice", "example"],
}
NEEDED = (
    "[2026-03-02 08:00:09 TP0 EP1] Decode batch, #running-req: 148, token usage: 1.00",
    "RuntimeError: Prefill out of memory. Try to allocate 8192 tokens.",
    "self.token_to_kv_pool_allocator.available_size()=2048",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    '  File "/opt/venv/lib/python3.12/site-packages/sglang/srt/mem_cache/memory_pool.py", line 1',
    "c10::Error and std::bad_alloc at ::cudaMallocAsync(ptr, n)",
    "#retracted_reqs: 1, #new_token_ratio: 0.1474 -> 0.1845",
    "num_reqs=2, max_new_tokens=16, token=5, --mem-fraction-static 0.88, --tokenizer-worker-num 4",
    "08:00:09 and 2026-03-02T08:00:09.595Z and sglang 0.5.23",
)


@pytest.mark.parametrize(("text", "secrets"), PRIVATE.items(), ids=PRIVATE.keys())
def test_private_parts_are_masked(text: str, secrets: list[str]) -> None:
    for secret in secrets:
        assert secret not in mask(text)
    assert "<" in mask(text)


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_diagnosis_needs_stays(text: str) -> None:
    assert mask(text) == text


def test_nothing_private_leaves_in_any_form() -> None:
    log = (
        f"{at(1, '')}server_args=ServerArgs(model_path='{HOME}alice/m', host='gpu-node-7', "
        "tp_size=8, api_key='sk-abc123456789def', lora_target_modules=['10.1.1.1'])\n"
        f"{at(2)}max_total_num_tokens=9, context_len=9 for 10.21.7.200 at gpu.example.internal\n"
        + crash(9, kv_oom("Decode", 9, 1) + " reported by alice.smith@example.org")
        + f"{at(9)}ValueError: no route to 10.21.7.200 with Bearer abcdefghijklmnop\n"
        + f"{at(9)}LoRA adapter 10.9.9.9 with rank 8 is incompatible with the current LoRA memory "
        "pool configuration. Please ensure that the LoRA adapter's rank is within the configured "
        "`--max-lora-rank` and that the target modules are included in `--lora-target-modules`.\n"
    )
    found = diagnose_text(log)
    said = f"{document(found)}\n{render(found)}"
    secrets = ("alice", "gpu-node-7", "abc123456789def", "10.1.1.1", "10.21.7", "10.9.9.9")
    for secret in (*secrets, "example", "abcdefghijklmnop"):
        assert secret not in said, secret


def test_escapes_and_marks_of_direction_are_gone_and_lines_are_cut() -> None:
    assert shown("\x1b]0;title\x07a\x1b[2Jb\u202ec\x00\td") == "abc d"
    assert len(shown("x" * 5_000)) == MAX_SHOWN
