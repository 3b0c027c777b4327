"""`poolscope check` against a real server: one line, its exit code, simulated numbers refused."""

from collections.abc import Iterator

import pytest

from app.cli import main
from app.hub.checks import CHECKS
from tests.contract.server import SMALL, Server, free_port, serve


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("server"), *SMALL, "--scenario", "steady") as running:
        yield running


def check(server: Server, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["check", *words, "--url", server.base])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_is_one_line_with_its_number(
    name: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = check(server, capsys, name, "--allow-source")
    assert code in (0, 1, 2)
    assert said.count("\n") == 1
    assert said.split()[:2] == [("OK", "WARNING", "CRITICAL")[code], name]
    assert f"| {name.replace('-', '_')}=" in said


def test_simulated_numbers_are_not_judged_unasked(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = check(server, capsys, "conserved")
    assert code == 3
    assert "the source is synthetic" in said
    assert "--allow-source" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--crit", "101%"], 2, "/errors/alloc-req-slots-exhausted"),
        (["--warn", "101%", "--crit", "0"], 1, "WARNING"),
        (["--warn", "0", "--crit", "0"], 0, "OK"),
        (["--crit", "101%", "--for", "5m"], 2, "CRITICAL"),
        (["--warn", "many"], 3, "Bad threshold"),
        (["--host", "nobody"], 3, "no host 'nobody'"),
    ],
)
def test_thresholds(
    words: list[str], code: int, said: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    got, line = check(server, capsys, "request-slots", "--allow-source", *words)
    assert got == code, line
    assert said in line


def test_a_dip_that_has_passed_is_no_alarm(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = server.until("/api/history?pool=request_slots", lambda _, b: len(b["items"]) > 8)
    most = max(row["available"] for row in rows["items"])
    limit = ["--warn", "0", "--crit", str(most)]
    code, _ = check(server, capsys, "request-slots", "--allow-source", *limit, "--for", "1h")
    assert code == 0, "it was not below the limit for the whole hour"


def test_unknown_check_names_the_nearest(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = check(server, capsys, "kv-reclaimible")
    assert (code, "did you mean 'kv-reclaimable'" in said) == (3, True)


def test_no_server_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "conserved", "--url", f"http://127.0.0.1:{free_port()}"]) == 3
    assert capsys.readouterr().out.startswith("UNKNOWN conserved - ")
