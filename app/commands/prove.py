"""`poolscope prove [CODE]`: reproduce every cause, try every remedy, compare with the catalog."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.catalog.prove import EntryResult


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `prove`."""
    parser = verbs.add_parser(
        "prove", help="run the catalog's advice: reproduce causes, try remedies"
    )
    parser.add_argument("code", nargs="*", help="errors by code or 16-hex id; all if left out")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="result as JSON")
    parser.add_argument(
        "--record", action="store_true", help="write down what was proven, for the pages to show"
    )
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 when all is as the catalog says, 1 on a failure, 2 for a code that cannot be proven."""
    import torch

    from app.catalog.catalog import CATALOG
    from app.catalog.proofs import all_causes, causes_of
    from app.catalog.prove import prove_entry
    from app.catalog.prove_text import line_of, summary_line
    from app.catalog.record import write
    from app.host.lab import EngineLab

    torch.set_num_threads(1)
    chosen = [CATALOG.get(code) for code in args.code or all_causes()]
    for asked, entry in zip(args.code or all_causes(), chosen, strict=True):
        if entry is None or not causes_of(entry.code):
            return _refuse(asked, known=entry is not None)
    lab, results = EngineLab(), list["EntryResult"]()
    out = sys.stderr if args.json == "-" else sys.stdout
    for entry in filter(None, chosen):
        results.append(prove_entry(lab, entry))
        for line in line_of(results[-1]):
            out.write(line + "\n")
    failed = any(result.failures for result in results)
    if args.record and not failed:
        sys.stderr.write(f"recorded in {write(results)}\n")
    _write_json(results, args.json)
    out.write(summary_line(results) + "\n")
    return 1 if failed else 0


def _refuse(asked: str, *, known: bool) -> int:
    from app.catalog.proofs import all_causes
    from app.nearest import did_you_mean

    why = (
        f"{asked} has no cause that can be reproduced here; `poolscope explain {asked}` says more"
        if known
        else f"no error {asked!r}{did_you_mean(asked, all_causes())}"
    )
    sys.stderr.write(f"poolscope prove: {why}\n")
    return 2


def _write_json(results: "list[EntryResult]", target: str | None) -> None:
    if target is None:
        return
    from pathlib import Path

    from app.catalog.prove_text import plain, summary

    document: dict[str, Any] = {
        "summary": summary(results),
        "errors": [plain(result) for result in results],
    }
    text = json.dumps(document, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")
