"""Real torch memory pools of an LLM server, as SGLang runs them.

A library on its own: it knows no web, no plots and no clock. `pools.base` holds the protocol and
the registry, `pools.kinds` one file per pool, `pools.snapshot` what can be seen of a pool,
`pools.errors` the coded errors. `pools.snapshot` and `pools.errors` import without torch.
"""
