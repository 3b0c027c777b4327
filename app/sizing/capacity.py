"""From free memory to token capacity, for one course that a start-up can take.

Mirrors: sglang 0.5.23 mem_cache/kv_cache_configurator.py (budget, mamba carve), model_executor/
pool_configurator.py (tokens, sliding window)
"""

from dataclasses import dataclass

from app.sizing.cell_bytes import cell_bytes, with_draft
from app.sizing.mem_fraction import default_fraction
from app.sizing.size_args import MIB_PER_GIB, SizeArgs

GIB = 1 << 30
#: bytes of the element types that linear-attention states have
CONV_BYTES, SSM_BYTES = 2, 4
#: state slots for each running request: prefixes in the tree keep states too
SLOTS_PER_REQUEST = 3
#: MiB that a vision model keeps for itself
VISION_CACHE_MIB = 100


@dataclass(frozen=True, slots=True)
class Course:
    """What a start-up finds on a GPU, GiB; nobody knows it before the server has started."""

    before_gib: float
    after_gib: float


@dataclass(frozen=True, slots=True)
class Capacity:
    """What fits.

    Attributes:
        rest_bytes: for states and KV together.
        mamba_slots: state slots, 0 without.
        tokens: of the KV pool, whole pages.
        swa_tokens: of the window layers' pool, 0 without.
    """

    rest_bytes: int
    mamba_slots: int
    tokens: int
    swa_tokens: int


def fraction(args: SizeArgs) -> float:
    """--mem-fraction-static as given, or as the server chooses it."""
    if args.mem_fraction_static is not None:
        return args.mem_fraction_static
    model = args.model
    return default_fraction(
        args.gpu_gib * MIB_PER_GIB,
        args.tp_size,
        args.pp_size,
        args.chunk_tokens or args.max_prefill_tokens,
        args.attn_dp,
        model.layers * model.hidden_size**2 if model.multimodal else None,
    )


def full_cell(args: SizeArgs) -> int:
    """Bytes of one token in the layers that keep every token, on the fullest stage."""
    cell = cell_bytes(
        args.model, _stage(args.model.full_layers, args), args.attention_tp, args.kv_cache_dtype
    )
    return with_draft(cell, args.draft_layers, args.model.layers) if args.draft_layers else cell


def swa_cell(args: SizeArgs) -> int:
    """Bytes of one token in the sliding-window layers, on the fullest stage."""
    layers = _stage(args.model.swa_layers, args)
    return cell_bytes(args.model, layers, args.attention_tp, args.kv_cache_dtype) if layers else 0


def slot_bytes(args: SizeArgs) -> int:
    """Bytes of one state slot on one rank; 0 without linear layers."""
    mamba = args.model.mamba
    if mamba is None:
        return 0
    conv = mamba.conv_elements // args.attention_tp * CONV_BYTES
    ssm = mamba.ssm_elements // args.attention_tp * SSM_BYTES
    return (conv + ssm) * _stage(args.model.linear_layers, args)


def slots_per_request(args: SizeArgs) -> int:
    """State slots that one running request is counted with."""
    return 1 if args.disable_radix_cache else SLOTS_PER_REQUEST


def mm_reserved_gib(args: SizeArgs) -> float:
    """Memory that a model with images keeps out of the budget."""
    if not args.model.multimodal:
        return 0.0
    pool = args.mm_feature_cache_mb if args.mm_feature_transport == "cuda_ipc" else 0
    return (VISION_CACHE_MIB + pool) / MIB_PER_GIB


def capacity(args: SizeArgs, course: Course) -> Capacity:
    """What fits when a start-up takes this course; all 0 when the weights leave nothing."""
    kept = course.before_gib * (1 - fraction(args)) + mm_reserved_gib(args)
    rest = int((course.after_gib - kept) * GIB)
    if rest <= 0:
        return Capacity(rest, 0, 0, 0)
    slots = mamba_slots(args, rest)
    left = rest - (slots + 1) * slot_bytes(args) if args.model.mamba else rest
    return _capacity_of(args, rest, slots, tokens_of(args, max(left, 0)))


def pinned(args: SizeArgs, tokens: int) -> Capacity:
    """What fits when the token capacity is known from a real start."""
    cell = full_cell(args) + args.swa_full_tokens_ratio * swa_cell(args)
    rest = int(tokens * cell)
    # the carve left KV 1/(1+r) of what there was
    slots = mamba_slots(args, int(rest * (1 + args.mamba_full_memory_ratio)))
    if args.model.mamba:
        rest += (slots + 1) * slot_bytes(args)
    return _capacity_of(args, rest, slots, tokens)


def mamba_slots(args: SizeArgs, rest: int) -> int:
    """State slots of one worker; one more, a padding slot, is physical."""
    slot = slot_bytes(args)
    if not slot:
        return 0
    if args.max_mamba_cache_size is not None:
        return args.max_mamba_cache_size // args.attn_dp
    if args.disable_radix_cache and args.max_running_requests is not None:
        return args.max_running_requests // args.attn_dp
    ratio = args.mamba_full_memory_ratio
    return max(int((rest * ratio / (1 + ratio) - slot) // slot), 0)


def tokens_of(args: SizeArgs, left: int) -> int:
    """Tokens that `left` bytes hold, whole pages."""
    page = args.page_size
    if args.model.swa_layers:
        cell = full_cell(args) + args.swa_full_tokens_ratio * swa_cell(args)
        tokens = int(left // cell)
    else:
        tokens = left // full_cell(args)
    if args.max_total_tokens is not None:
        tokens = min(tokens, args.max_total_tokens)
    return tokens // page * page


def _capacity_of(args: SizeArgs, rest: int, slots: int, tokens: int) -> Capacity:
    swa = 0
    if args.model.swa_layers:
        page = args.page_size
        swa = -(-int(tokens * args.swa_full_tokens_ratio) // page) * page
    return Capacity(rest, slots, tokens, swa)


def _stage(layers: int, args: SizeArgs) -> int:
    return -(-layers // args.pp_size)
