"""Reads a measured run from its folder; every field that cannot be used is named."""

import csv
import itertools
import json
import math
from pathlib import Path
from typing import Any

from app.engine.validate.measured import (
    BLOCK_SIZE,
    FILES,
    Limits,
    MeasuredRequest,
    MeasuredRun,
    RunError,
    Tick,
)

COLUMNS = ("t", "prompt_throughput", "gen_throughput", "running", "waiting", "kv_cache_pct")
TIMES = ("queued_ts", "scheduled_ts", "first_token_ts", "last_token_ts")
UNRECORDED = "the server did not record it"


def read_run(folder: Path) -> MeasuredRun:
    """The run in `folder`.

    Raises:
        RunError: naming file, line and field.
        OSError: a file cannot be read.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise RunError(
            str(folder), f"{', '.join(missing)} not found", f"give a folder with {', '.join(FILES)}"
        )
    meta = _json(folder / FILES[0], (folder / FILES[0]).read_text(), None)
    limits = _limits(folder / FILES[0], meta)
    requests = _requests(folder / FILES[1])
    ticks = _ticks(folder / FILES[2])
    notes = []
    if limits.kv_tokens is None:
        notes.append("kv_cache.num_gpu_blocks is not recorded: the pool is taken as never short")
    if ticks[0].occupancy_frac is None:
        notes.append("kv_cache_pct is 0.0 throughout: not reported, so occupancy is not compared")
    return MeasuredRun(
        name=folder.resolve().name,
        model=str(meta.get("model", "unknown")),
        path=folder,
        limits=limits,
        requests=requests,
        ticks=ticks,
        notes=tuple(notes),
    )


def _limits(path: Path, meta: dict[str, Any]) -> Limits:
    engine, cache = meta.get("engine_kwargs"), meta.get("kv_cache") or {}
    if not isinstance(engine, dict) or not isinstance(cache, dict):
        raise RunError(path.name, "engine_kwargs or kv_cache is no object", "see the file's source")
    block = _count(path, cache, "block_size") or BLOCK_SIZE
    blocks = _count(path, cache, "num_gpu_blocks")
    if blocks is not None and blocks < 2:
        raise RunError(f"{path.name}: num_gpu_blocks", f"{blocks} blocks", "at least 2 are needed")
    seqs = _count(path, engine, "max_num_seqs")
    batched = _count(path, engine, "max_num_batched_tokens")
    if seqs is None or batched is None:
        name = "max_num_seqs" if seqs is None else "max_num_batched_tokens"
        raise RunError(f"{path.name}: {name}", UNRECORDED, "without it there is nothing to check")
    return Limits(
        ranks=_count(path, engine, "data_parallel_size") or 1,
        max_num_seqs=seqs,
        max_num_batched_tokens=batched,
        max_model_len=_count(path, engine, "max_model_len"),
        block_size=block,
        # Block 0 is padding there as well.
        kv_tokens=None if blocks is None else (blocks - 1) * block,
    )


def _requests(path: Path) -> tuple[MeasuredRequest, ...]:
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip():
            row = _json(path, line, number)
            fields = ("input_toks", "output_toks", "arrival_time", *TIMES)
            rows.append({name: _number(path, number, name, row.get(name)) for name in fields})
            for name in ("input_toks", "output_toks"):
                if rows[-1][name] < 1:
                    place = f"{path.name}:{number}: {name}"
                    raise RunError(place, f"{rows[-1][name]:g} tokens", "at least 1 is needed")
            if sorted(rows[-1][name] for name in TIMES) != [rows[-1][name] for name in TIMES]:
                place = f"{path.name}:{number}"
                raise RunError(place, f"{', '.join(TIMES)} go backwards", "take the row out")
    if not rows:
        raise RunError(path.name, "no request", "record a run with at least one")
    rows.sort(key=lambda row: row["arrival_time"])
    wall, queue = rows[0]["arrival_time"], min(row["queued_ts"] for row in rows)
    return tuple(
        MeasuredRequest(
            input_tokens=int(row["input_toks"]),
            output_tokens=int(row["output_toks"]),
            arrival_s=row["arrival_time"] - wall,
            wait_s=row["scheduled_ts"] - row["queued_ts"],
            scheduled_s=row["scheduled_ts"] - queue,
            first_token_s=row["first_token_ts"] - queue,
            last_token_s=row["last_token_ts"] - queue,
        )
        for row in rows
    )


def _ticks(path: Path) -> tuple[Tick, ...]:
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        absent = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if absent:
            raise RunError(f"{path.name}:1", f"no column {', '.join(absent)}", "see its header")
        rows = [
            {name: _number(path, reader.line_num, name, row[name]) for name in COLUMNS}
            for row in reader
        ]
    if len(rows) < 4:
        raise RunError(
            path.name, f"{len(rows)} samples", "at least 4 are needed to fit and predict"
        )
    for number, (early, late) in enumerate(itertools.pairwise(rows), 3):
        if late["t"] <= early["t"]:
            raise RunError(f"{path.name}:{number}: t", "time goes backwards", "sort the samples")
    reported = any(row["kv_cache_pct"] for row in rows)
    return tuple(
        Tick(
            t_s=row["t"],
            prompt_per_s=row["prompt_throughput"],
            output_per_s=row["gen_throughput"],
            running=int(row["running"]),
            waiting=int(row["waiting"]),
            occupancy_frac=row["kv_cache_pct"] / 100 if reported else None,
        )
        for row in rows
    )


def _json(path: Path, text: str, number: int | None) -> dict[str, Any]:
    place = path.name if number is None else f"{path.name}:{number}"
    try:
        value = json.loads(text)
    except ValueError as error:
        raise RunError(place, f"no JSON ({error})", "check that the file is whole") from None
    if not isinstance(value, dict):
        raise RunError(place, "no JSON object", "check that it is the right file")
    return value


def _count(path: Path, source: dict[str, Any], name: str) -> int | None:
    value = source.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RunError(f"{path.name}: {name}", f"{value!r} is no count", "give a whole number")
    return value


def _number(path: Path, number: int, name: str, value: object) -> float:
    place = f"{path.name}:{number}: {name}"
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        found = float(value)
    except ValueError:
        raise RunError(place, f"{value!r} is no number", "take the row out") from None
    if not math.isfinite(found) or found < 0:
        raise RunError(place, f"{value!r} is not a number of 0 or more", "take the row out")
    return found
