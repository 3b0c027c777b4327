"""What `make bench` prints and how it ends."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.figure import Figure, geometric_mean, short_time
from benchmarks.timing import medians


@pytest.mark.parametrize(
    ("figure", "missed"),
    [
        (Figure("a", 2.0, "x"), False),
        (Figure("a", 2.0, "x", target=1.0), False),
        (Figure("a", 0.5, "x", target=1.0), True),
        (Figure("a", 0.5, "s", target=1.0, bound="at most"), False),
        (Figure("a", 2.0, "s", target=1.0, bound="at most"), True),
        (Figure("a", math.nan, "x", target=1.0), True),
    ],
)
def test_figure_line_says_missed_when_it_is(figure: Figure, missed: bool) -> None:
    assert figure.missed == missed
    assert ("MISSED" in figure.line()) == missed


def test_every_benchmark_file_exports_its_bench() -> None:
    found = run.discover()
    assert {"pools", "replay", "frames"} <= set(found)
    for module in found.values():
        assert callable(run.load(module))


def missing_target() -> Iterator[Figure]:
    yield Figure("slow thing", 3.0, "s", target=1.0, bound="at most")


@pytest.mark.parametrize(("flags", "code"), [([], 0), (["--strict"], 1)])
def test_run_turns_a_missed_target_into_an_exit_code_when_strict(
    flags: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(run, "load", lambda module: missing_target)
    assert run.main(["frames", "--json", str(tmp_path / "out.json"), *flags]) == code
    assert "figures: 1, targets: 1, missed: 1" in capsys.readouterr().out
    (written,) = json.loads((tmp_path / "out.json").read_text())
    assert written["name"] == "slow thing"


def test_run_names_the_benchmarks_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["nonesuch"]) == run.USAGE_EXIT
    assert "frames" in capsys.readouterr().err


def test_medians_tell_a_slow_call_from_a_fast_one() -> None:
    fast, slow = medians(lambda: None, lambda: sum(range(20_000)), rounds=3)
    assert slow > 20 * fast


def test_geometric_mean_of_a_ratio_and_its_inverse_is_one() -> None:
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    assert math.isnan(geometric_mean([]))


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.0031, "3.1 ms"), (4.2e-6, "4.2 us"), (9e-9, "9 ns")]
)
def test_short_time_picks_its_unit(seconds: float, text: str) -> None:
    assert short_time(seconds) == text
