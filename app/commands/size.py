"""`poolscope size --model NAME --gpu-gib N`: what a server's flags make of a model and a GPU."""

import argparse
import json
import sys

_WHOLE = (
    ("--pp-size", "pipeline stages"),
    ("--max-total-tokens", "upper limit of the KV pool, tokens"),
    ("--max-running-requests", "over all attention-DP workers"),
    ("--context-length", "longest request, tokens; the model's own unless given"),
    ("--page-size", "tokens per KV page"),
    ("--chunked-prefill-size", "prompt tokens of one prefill step; -1: no chunks"),
    ("--max-prefill-tokens", "prompt tokens of one prefill batch"),
    ("--max-mamba-cache-size", "state slots of linear-attention layers"),
    ("--mm-feature-cache-mb", "multimodal feature pool, MiB, with --mm-feature-transport cuda_ipc"),
    ("--tokenizer-worker-num", "processes that share that pool"),
    ("--speculative-num-draft-tokens", "tokens that a draft proposes"),
    ("--speculative-num-steps", "steps of the draft"),
    ("--speculative-eagle-topk", "branches of the draft"),
    ("--draft-layers", "layers of the draft model"),
    ("--request-tokens", "prompt and output of a usual request, for the bound by KV"),
)
_NUMBERS = (
    ("--mem-fraction-static", "share of GPU memory for weights and pools"),
    ("--weights-gib", "weights of the whole model in memory, GiB, instead of the known size"),
    ("--hicache-ratio", "host tokens per device token"),
    ("--swa-full-tokens-ratio", "window layers' tokens per full token"),
    ("--mamba-full-memory-ratio", "memory of states per memory of KV"),
)
_SWITCHES = ("--enable-dp-attention", "--enable-hierarchical-cache", "--disable-radix-cache")


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `size`; what is not given keeps the server's own default."""
    parser = verbs.add_parser("size", help="from model, GPU and flags to every pool's size")
    parser.add_argument("--model", required=True, help="a name, or the path of a config.json")
    parser.add_argument("--gpu-gib", required=True, type=float, metavar="GIB", help="of one GPU")
    parser.add_argument("--from-log", metavar="N|LINE|FILE", help="pin with max_total_num_tokens")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    flags = parser.add_argument_group("server", "SGLang's own names")
    for names, about in (
        (("--tp-size", "--tp"), "tensor-parallel ranks"),
        (("--dp-size", "--dp"), "data-parallel workers"),
    ):
        flags.add_argument(*names, type=int, metavar="N", default=argparse.SUPPRESS, help=about)
    for listed, kind, metavar in ((_WHOLE, int, "N"), (_NUMBERS, float, "X")):
        for flag, about in listed:
            flags.add_argument(
                flag, type=kind, metavar=metavar, default=argparse.SUPPRESS, help=about
            )
    flags.add_argument(
        "--hicache-size",
        dest="hicache_size_gb",
        type=float,
        metavar="GB",
        default=argparse.SUPPRESS,
        help="host pool of a rank in 10^9 bytes, instead of the ratio",
    )
    for flag in ("--kv-cache-dtype", "--mm-feature-transport"):
        flags.add_argument(flag, metavar="NAME", default=argparse.SUPPRESS)
    for flag in _SWITCHES:
        flags.add_argument(flag, action="store_true", default=argparse.SUPPRESS)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 sized, 2 flags that cannot work, 3 a log or config.json without what is needed."""
    from app.sizing.model_shape import ModelError, load_model
    from app.sizing.server_size import size
    from app.sizing.show_size import as_document, as_text
    from app.sizing.size_args import SizeArgs
    from app.sizing.startup_log import measured_tokens

    known = SizeArgs.__dataclass_fields__
    given = {name: value for name, value in vars(args).items() if name in known}
    try:
        given["model"] = load_model(args.model)
        if args.from_log is not None:
            given["measured_tokens"] = measured_tokens(args.from_log)
    except (ModelError, ValueError, OSError) as error:
        sys.stderr.write(f"poolscope size: {error}\n")
        return 3
    try:
        found = size(SizeArgs(**given))
    except ValueError as error:
        sys.stderr.write(f"poolscope size: {error}\n")
        return 2
    shown = json.dumps(as_document(found), indent=2) if args.json else as_text(found)
    sys.stdout.write(f"{shown}\n")
    return 0
