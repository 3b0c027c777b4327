"""What a comparison says: a row per cell, the one to take, and whether it stands when shaken."""

from typing import Any

from app.compare.grid import Cell

Row = dict[str, Any]

#: changes under which the recommended cell is run again
SHAKES: tuple[tuple[str, dict[str, float]], ...] = (
    ("load x1.1", {"load": 1.1}),
    ("load x1.25", {"load": 1.25}),
    ("step time -30 %", {"step": 0.7}),
    ("step time +30 %", {"step": 1.3}),
)
#: a queue wait below this does not tell cells apart, simulated seconds
WAIT_GRAIN_S = 0.5
CANNOT_SEE = (
    "kernel speed: a larger page or batch changes step times on real hardware, here it does not",
    "which page size an attention back end forces: flashmla 64; trtllm_mla and cutedsl_mla 32 or "
    "64; trtllm_mha 16, 32, 64 or 128; fa4 (non-MLA, SM100) 128; Mamba without an extra buffer 1",
    "latency: simulated time orders events and is no forecast",
)
SYMPTOMS = {
    "none": "nobody waits for a limit",
    "slots": "requests queue for a row while KV is free",
    "kv": "requests queue for KV tokens",
    "prefill_chunk": "prompts wait for the chunk of another",
}


def row_of(result: Row) -> Row:
    """A cell as it is shown; a failed one has `problem` and nothing else."""
    if "problem" in result:
        return {"flags": result["flags"], "problem": result["problem"]}
    observed, requests = result["observed"], result["requests"]
    symptom = SYMPTOMS[observed["binding_limit"]]
    if observed["retracted"]:
        symptom += f"; {observed['retracted']:,} retractions"
    if requests["aborted"] or requests["rejected"]:
        symptom += f"; {requests['aborted'] + requests['rejected']:,} requests fail"
    shown = {key: value for key, value in observed.items() if key not in ("curve", "bound_frac")}
    return {
        "flags": result["flags"],
        **shown,
        "users_see": symptom,
        "requests": requests,
        "errors": result["errors"],
        "violations": result["invariants"]["violations"],
        "sim_seconds": result["sim_seconds"],
        "rss_mib": result["rss_kib"] // 1024,
        "result_hash": result["result_hash"],
    }


def recommend(rows: list[Row]) -> int | None:
    """The index of the row to take; None when every cell failed.

    Least failing requests, then the shortest wait, then least work done twice, then the widest
    margin, then the first: so the smallest setting that serves as well as a larger one.
    """
    fit = [(rank(row), at) for at, row in enumerate(rows) if "problem" not in row]
    return min(fit)[1] if fit else None


def rank(row: Row) -> tuple[float, ...]:
    """Smaller is better."""
    requests = row["requests"]
    return (
        requests["aborted"] + requests["rejected"],
        round(row["queue_wait_s"]["p95"] / WAIT_GRAIN_S),
        row["recomputed_tokens"],
        row["page_waste_tokens_peak"] if row["binding_limit"] == "kv" else 0,
    )


def stands(before: Row, after: Row) -> str:
    """`robust`, or what the choice depends on."""
    if "problem" in after:
        return f"depends on it: {after['problem']}"
    failed = after["requests"]["aborted"] + after["requests"]["rejected"]
    if failed > before["requests"]["aborted"] + before["requests"]["rejected"]:
        return f"depends on it: {failed:,} requests fail"
    was, now = before["binding_limit"], after["binding_limit"]
    if now != was:
        return f"depends on it: the limit that binds is {now}, not {was}"
    wait, waited = after["queue_wait_s"]["p95"], before["queue_wait_s"]["p95"]
    if wait > 2 * waited + WAIT_GRAIN_S:
        return f"depends on it: queue wait p95 {wait:,.1f} s instead of {waited:,.1f} s"
    return "robust"


def summary(cells: list[Cell], rows: list[Row], chosen: int | None) -> str:
    """The difference in one sentence."""
    if chosen is None:
        return "No cell could be run; each row says why."
    row = rows[chosen]
    wait = row["queue_wait_s"]["p95"]
    return (
        f"Take {cells[chosen].label}: {row['users_see']}, queue wait p95 {wait:,.1f} s, "
        f"peak {row['peak_running']:,} running."
    )
