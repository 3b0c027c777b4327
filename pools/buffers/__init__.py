"""Small fixed buffers of a server that raise when a batch outgrows them; nothing is freed.

| buffer | raises |
| --- | --- |
| `kv_canary` | batch or tokens beyond what the self-check has marks for |
| `pd_metadata` | more top logprobs than a prefill server hands to decode |
| `token_gather` | a request table without columns, shapes that do not fit |

One related error has no object here: `vmm-needs-mm-processor` is about a model that has no
multimodal processor, and there is no model.
"""
