"""A server's pools as a table: each number asked, effective, and the rule between the two."""

from dataclasses import dataclass

from app.sizing import capacity, rules
from app.sizing.byte_size import show_bytes
from app.sizing.server_size import FREE_BEFORE_FRAC, LOADING_GIB, WEIGHTS_FACTOR, ServerSize

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One number.

    Attributes:
        name: the flag, or what the number is.
        asked: as given; None where the rule alone decides.
        low, high: what it becomes; equal where it is known.
        unit: of all three.
        rule: how it follows.
    """

    name: str
    asked: float | str | None
    low: float | str
    high: float | str
    unit: str
    rule: str


def table(found: ServerSize) -> tuple[SizeRow, ...]:
    """All rows: memory first, then tokens, requests, and the pools beside them."""
    return (*_memory(found), *_tokens(found), *_requests(found), *_side_pools(found))


def _row(name: str, asked: float | str | None, value: float | str, unit: str, rule: str) -> SizeRow:
    return SizeRow(name, asked, value, value, unit, rule)


def _memory(found: ServerSize) -> list[SizeRow]:
    args, model = found.args, found.args.model
    share, given = capacity.fraction(args), args.mem_fraction_static
    counted = "estimated from the shape" if model.weights_estimated else "of the checkpoint"
    weights = "as given" if args.weights_gib else counted
    low, high = (round(end.rest_bytes / GIB, 2) for end in found.ends)
    kept = capacity.mm_reserved_gib(args)
    rows = [
        _row("GPU memory", args.gpu_gib, args.gpu_gib, "GiB", "as given"),
        _row(
            "weights on one GPU",
            args.weights_gib,
            round(args.weights_gib_of_rank, 2),
            "GiB",
            f"{weights}, over {args.tp_size} ranks × {args.pp_size} stages",
        ),
        _row(
            "--mem-fraction-static",
            given,
            round(share, 4),
            "×",
            "as given: for weights, states and KV together"
            if given is not None
            else "not given: GPU memory less activations, graphs and 0.5 GiB",
        ),
    ]
    if kept:
        rows.append(_row("kept for images", None, round(kept, 2), "GiB", "outside the budget"))
    rule = (
        f"from {FREE_BEFORE_FRAC[0]:.0%} to {FREE_BEFORE_FRAC[1]:.1%} of the GPU free at start, "
        f"weights × {WEIGHTS_FACTOR[0]:g} to {WEIGHTS_FACTOR[1]:g}, {LOADING_GIB[0]:g} to "
        f"{LOADING_GIB[1]:g} GiB taken while loading"
    )
    if found.pinned:
        rule = "pinned by the log: tokens × bytes of a token"
    return [*rows, SizeRow("for states and KV", None, low, high, "GiB", rule)]


def _tokens(found: ServerSize) -> list[SizeRow]:
    args, model = found.args, found.args.model
    rows = [_row("bytes of a token", None, capacity.full_cell(args), "bytes", _cell_rule(found))]
    if model.mamba:
        slot, ends = capacity.slot_bytes(args), found.ends
        rows += [
            _row("bytes of a state", None, slot, "bytes", f"{model.linear_layers} linear layers"),
            SizeRow(
                "--max-mamba-cache-size",
                args.max_mamba_cache_size,
                ends[0].mamba_slots,
                ends[1].mamba_slots,
                "slots",
                f"states : KV = {args.mamba_full_memory_ratio:g} : 1, less a padding slot"
                if args.max_mamba_cache_size is None
                else "as asked",
            ),
        ]
    rule = f"memory / bytes of a token, whole pages of {args.page_size}; the flag only lowers it"
    if found.pinned:
        rule = "max_total_num_tokens of a real start-up"
    rows.append(SizeRow("--max-total-tokens", args.max_total_tokens, *found.tokens, "tokens", rule))
    if model.swa_layers:
        low, high = found.ends
        ratio = f"KV tokens × {args.swa_full_tokens_ratio:g}, {model.swa_layers} layers"
        rows.append(
            SizeRow("window tokens", None, low.swa_tokens, high.swa_tokens, "tokens", ratio)
        )
    rows.append(_row("--page-size", args.page_size, args.page_size, "tokens", "as asked"))
    return rows


def _cell_rule(found: ServerSize) -> str:
    args, model = found.args, found.args.model
    stages = f" / {args.pp_size} stages" if args.pp_size > 1 else ""
    if model.latent_dim:
        return (
            f"{model.latent_dim} latent elements × {model.full_layers} layers{stages}, "
            f"{args.kv_cache_dtype}; not divided among ranks"
        )
    heads = max(1, model.kv_heads // args.attention_tp)
    copied = ", heads copied" if args.attention_tp > model.kv_heads else ""
    return (
        f"{heads} of {model.kv_heads} KV heads × 2 × {model.head_dim} × {model.full_layers} "
        f"layers{stages}, {args.kv_cache_dtype}{copied}"
    )


def _requests(found: ServerSize) -> list[SizeRow]:
    args, running = found.args, found.running
    rows = [one for one in found.bounds if one.kind == "rows"]
    binding = [one.name for one in rows if one.low == running[0] or one.high == running[1]]
    smallest = f"the smallest of its bounds: {', '.join(binding)}"
    asked = args.max_running_requests
    table_rule = f"(requests + 1) × {found.columns:,} columns × 4, outside the budget"
    context_rule = "columns of the request table; adds no rows"
    return [
        SizeRow("--max-running-requests", asked, *running, "requests", smallest),
        _row(
            "--context-length",
            args.context_length,
            args.context_len,
            "tokens",
            context_rule if args.context_length else f"the model's own; {context_rule}",
        ),
        SizeRow("request table", None, *found.table_bytes, "bytes", table_rule),
        *_limits(found),
    ]


def _limits(found: ServerSize) -> list[SizeRow]:
    args, margin = found.args, rules.INPUT_MARGIN_TOKENS
    low, high = found.max_req_len
    inputs = max(low - margin, 0), max(high - margin, 0)
    shared = f", / {args.attn_dp} attention-DP workers" if args.attn_dp > 1 else ""
    chosen = "not given: by GPU memory" if args.chunked_prefill_size is None else "as asked"
    chunk = args.chunk_tokens or "off"
    return [
        SizeRow("longest request", None, low, high, "tokens", "min(context, KV tokens) - 1"),
        SizeRow("prompt refused from", None, *inputs, "tokens", f"longest request - {margin}"),
        _row("--chunked-prefill-size", args.chunked_prefill_size, chunk, "tokens", chosen + shared),
    ]


def _side_pools(found: ServerSize) -> list[SizeRow]:
    args, rows = found.args, []
    if args.enable_hierarchical_cache:
        cell = capacity.full_cell(args)
        rule = (
            f"{args.hicache_size_gb:g} × 10^9 / {cell:,} bytes"
            if args.hicache_size_gb
            else f"KV tokens × {args.hicache_ratio:g}"
        )
        low, high = found.host_tokens
        asked = args.hicache_size_gb or args.hicache_ratio
        rows += [
            SizeRow("host pool", asked, low, high, "tokens", f"{rule}, and a padding page"),
            SizeRow("host memory", None, low * cell, high * cell, "bytes", "for each rank"),
        ]
    if args.mm_feature_transport == "cuda_ipc":
        pool = args.mm_feature_cache_mb // args.tokenizer_worker_num * rules.MIB
        control = rules.mm_control_bytes(args.attention_tp)
        rows.append(
            _row(
                "feature data",
                args.mm_feature_cache_mb * rules.MIB,
                pool - control,
                "bytes",
                f"{show_bytes(pool)} of each tokenizer worker - control words {control:,}: "
                f"{rules.MM_SLOTS:,} slots × (1 + {args.attention_tp} consumers) × 4",
            )
        )
    return rows
