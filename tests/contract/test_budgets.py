"""Sizes, names and words that the project holds itself to. Also run alone by `make check`."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.contract.tree import ROOT, project_files

MAX_FILE_LINES = 250
MAX_FUNCTION_LINES = 40
MEANINGLESS = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"}
#: written in pieces, so that this file does not find itself
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK")))
MACHINE_PATH = re.compile(r"(?<![\w.}/-])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me/\w+|tm" + r"p)/\w")
REGISTRY = re.compile(
    "|".join(
        (
            "py" + r"pi\.org",
            "python" + r"hosted\.org",
            "download\\.py" + r"torch\.org",
            "npm" + r"js\.(?:org|com)",
            "deb" + r"ian\.org",
        )
    )
)


def test_files_stay_within_their_budget() -> None:
    lengths = {_name(path): len(_text(path).splitlines()) for path in project_files(".py", ".js")}
    over = {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES}
    assert not over, f"over {MAX_FILE_LINES} lines: {over}"


def test_functions_stay_within_their_budget() -> None:
    over = [
        f"{_name(path)}:{node.lineno} {node.name} has {length} lines"
        for path in project_files(".py")
        for node, length in _functions(path)
        if length > MAX_FUNCTION_LINES
    ]
    assert not over, f"over {MAX_FUNCTION_LINES} lines:\n" + "\n".join(over)


def test_names_say_what_is_inside() -> None:
    vague = [
        _name(path)
        for path in project_files()
        if MEANINGLESS & {part.split(".")[0].strip("_") for part in path.relative_to(ROOT).parts}
    ]
    assert not vague, f"name these for what is inside: {vague}"


def test_nothing_is_left_unfinished() -> None:
    found = [
        f"{_name(path)}:{number} {comment}"
        for path in project_files(".py")
        for number, comment in _comments(path)
        if UNFINISHED.search(comment)
    ]
    found += _lines_with(UNFINISHED, ".js", ".html", ".css", ".md", ".toml")
    assert not found, "\n".join(found)


def test_no_file_names_a_path_of_one_machine() -> None:
    found = _lines_with(MACHINE_PATH)
    assert not found, "\n".join(found)


def test_no_file_names_the_host_of_a_registry() -> None:
    found = _lines_with(REGISTRY)
    assert not found, "\n".join(found)


def _functions(path: Path) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    for node in ast.walk(ast.parse(_text(path), str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, (node.end_lineno or node.lineno) - node.lineno + 1


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(_text(path)).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _lines_with(pattern: re.Pattern[str], *suffixes: str) -> list[str]:
    return [
        f"{_name(path)}:{number} {line.strip()[:120]}"
        for path in project_files(*suffixes)
        for number, line in enumerate(_text(path).splitlines(), 1)
        if pattern.search(line)
    ]


def _text(path: Path) -> str:
    # Pictures come along; their bytes match nothing that is looked for here.
    return path.read_text(encoding="utf-8", errors="replace")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
