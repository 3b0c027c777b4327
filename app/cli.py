"""The `poolscope` command. Every verb imports what it needs and nothing more."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from app import __version__
from app.commands import (
    check,
    compare,
    diagnose,
    explain,
    host,
    prove,
    replay,
    serve,
    size,
    trace,
    validate,
)

VERBS = (
    *(serve, replay, trace, size, compare, validate),
    *(diagnose, explain, prove, check, host),
)
USAGE_EXIT = 2
#: as shells report an interrupt
INTERRUPTED_EXIT = 130


class Parser(argparse.ArgumentParser):
    """argparse with the nearest valid name behind an unknown flag or choice."""

    def error(self, message: str) -> NoReturn:
        """Print the problem and a suggestion, exit 2."""
        from app.nearest import did_you_mean

        hint = ""
        if message.startswith("unrecognized arguments"):
            known = [flag for action in self._actions for flag in action.option_strings]
            words = (word for word in message.split() if word.startswith("--"))
            hint = next((did_you_mean(word.split("=")[0], known) for word in words), "")
        elif "invalid choice: " in message:
            given, _, listed = message.partition("invalid choice: ")[2].partition(" (choose from ")
            choices = [word.strip(" '") for word in listed.rstrip(")").split(",")]
            hint = did_you_mean(given.strip("'"), choices) if listed else ""
        self.exit(USAGE_EXIT, f"{self.prog}: {message}{hint}\nTry: {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """All verbs with their flags."""
    parser = Parser(prog="poolscope", description="Live memory pools of an LLM server.")
    parser.add_argument("--version", action="version", version=f"poolscope {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for module in VERBS:
        module.add_parser(verbs)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code of DESIGN: 0 ok, 1 finding, 2 usage, 3 bad input."""
    parser = build_parser()
    args, unknown = parser.parse_known_args(argv)
    if unknown and getattr(args, "takes_rest", False):
        # Server flags whose values may be lists; the verb reads them itself.
        args.rest = unknown
    elif unknown:
        # The verb's own parser knows the flags to suggest from.
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        code: int = args.run(args)
    except KeyboardInterrupt:
        sys.stderr.write(f"poolscope {args.verb}: interrupted\n")
        return INTERRUPTED_EXIT
    return code


if __name__ == "__main__":
    sys.exit(main())
