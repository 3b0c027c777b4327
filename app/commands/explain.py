"""`poolscope explain CODE|TEXT`: the catalog in a terminal."""

import argparse
import sys


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `explain`."""
    parser = verbs.add_parser("explain", help="what an error means and which way to turn what")
    parser.add_argument(
        "text", nargs="+", help="a code, a 16-hex id, or an error line; - reads stdin"
    )
    parser.add_argument("--json", action="store_true", help="the entries as JSON")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 found, 1 nothing matches, 2 usage."""
    from app.catalog.explain import explain

    text = sys.stdin.read() if args.text == ["-"] else " ".join(args.text)
    answer, code = explain(text, as_json=args.json)
    sys.stdout.write(answer.rstrip() + "\n")
    return code
