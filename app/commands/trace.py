"""`poolscope trace FILE`: what a trace is, before anything is run with it."""

import argparse
import json
import sys
from pathlib import Path

from app.traces.flags import add_trace_flags, options_from


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `trace`."""
    parser = verbs.add_parser("trace", help="describe a trace: format, unit, rate, sharing")
    parser.add_argument("trace", type=Path, metavar="FILE")
    parser.add_argument("--limit", type=int, help="only the first N accepted rows")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of drawn arrivals")
    add_trace_flags(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 described, 2 bad flags, 3 bad trace."""
    from app.traces.describe import as_document, as_text
    from app.traces.errors import TraceError
    from app.traces.reader import read_trace

    try:
        info = read_trace(args.trace, options_from(args), limit=args.limit).info
    except ValueError as error:
        sys.stderr.write(f"poolscope trace: {error}\n")
        return 3 if isinstance(error, TraceError) else 2
    shown = json.dumps(as_document(info), indent=2) if args.json else as_text(info)
    sys.stdout.write(f"{shown}\n")
    return 0
