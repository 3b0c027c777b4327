"""`poolscope validate RUN_DIR`: a measured run of a real server against our prediction of it."""

import argparse
import json
import sys
from pathlib import Path


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `validate`."""
    parser = verbs.add_parser("validate", help="compare pools and arithmetic with a measured run")
    parser.add_argument(
        "run_dir",
        type=Path,
        metavar="RUN_DIR",
        help="folder with meta.json, requests.jsonl and timeseries.csv",
    )
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="result as JSON")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 when prediction and measurement agree, 1 when a target is missed, 3 no measured run."""
    import torch

    from app.engine.validate.measured import RunError
    from app.engine.validate.summary import summarize
    from app.engine.validate.validate import validate
    from app.sizing.server_args import FlagError

    torch.set_num_threads(1)
    try:
        result = validate(args.run_dir)
    except (RunError, FlagError, OSError) as error:
        sys.stderr.write(f"poolscope validate: {error}\n")
        return 3
    text = json.dumps(result, indent=2)
    if args.json is None:
        text = summarize(result)
    if args.json in (None, "-"):
        sys.stdout.write(text + "\n")
    else:
        Path(args.json).write_text(text + "\n")
    agrees = False not in result["targets"].values() and not result["pools"]["violations"]
    return 0 if agrees else 1
