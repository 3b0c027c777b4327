"""`poolscope diagnose FILE|-`: a server's log explained, whatever its size."""

import argparse
import json
import sys
from pathlib import Path

FINDING, BAD_INPUT = 1, 3


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `diagnose`."""
    parser = verbs.add_parser("diagnose", help="explain a server's log: which limit, which flag")
    parser.add_argument("log", metavar="FILE", help="plain or gzip; - reads standard input")
    parser.add_argument("--json", nargs="?", const="-", metavar="TO", help="the answer as JSON")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 nothing found, 1 something is wrong, 3 the log cannot be read."""
    from app.diagnose.diagnose import diagnose, diagnose_file
    from app.diagnose.document import document
    from app.diagnose.render_text import render
    from app.diagnose.source import LogError

    try:
        from_pipe = args.log == "-"
        found = diagnose(sys.stdin.buffer) if from_pipe else diagnose_file(Path(args.log))
    except LogError as error:
        sys.stderr.write(f"poolscope diagnose: {error}\n")
        return BAD_INPUT
    if args.json is None:
        sys.stdout.write(render(found))
    elif not _write(json.dumps(document(found), indent=1, ensure_ascii=False) + "\n", args.json):
        return BAD_INPUT
    return FINDING if found.found else 0


def _write(text: str, target: str) -> bool:
    if target == "-":
        sys.stdout.write(text)
        return True
    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"poolscope diagnose: --json {target}: {error.strerror or error}\n")
        return False
    return True
