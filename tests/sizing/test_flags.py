"""Server flags on a command line."""

import argparse
import dataclasses

import pytest

from app.sizing.flags import add_server_flags, args_from
from app.sizing.server_args import ServerArgs


def _parse(*words: str) -> ServerArgs:
    parser = argparse.ArgumentParser()
    add_server_flags(parser)
    return args_from(parser.parse_args(words))


def test_no_flag_is_the_default_server() -> None:
    assert _parse() == ServerArgs()


def test_every_field_can_be_set_from_the_command_line() -> None:
    given = _parse(
        *("--max-running-requests", "7", "--page-size", "64", "--max-total-tokens", "4096"),
        *("--context-length", "2048", "--chunked-prefill-size", "512"),
        *("--max-prefill-tokens", "1024", "--schedule-conservativeness", "0.5"),
        *("--hicache-ratio", "1.5", "--disable-radix-cache", "--radix-eviction-policy", "lfu"),
        *("--max-queued-requests", "9", "--mm-feature-cache-mb", "8", "--mm-consumers", "4"),
        *("--mm-recycle-interval-s", "0.1", "--disaggregation-mode", "decode"),
        *("--attn-dp-size", "2", "--seed", "3", "--device", "cuda:1", "--checks", "upstream"),
        *("--no-memory-check", "--memory-budget", "4GiB"),
    )
    default = ServerArgs()
    same = [
        field.name
        for field in dataclasses.fields(ServerArgs)
        if getattr(given, field.name) == getattr(default, field.name)
    ]
    assert same == []
    assert given.memory_budget_bytes == 4 << 30


def test_rows_can_be_left_to_the_server() -> None:
    assert _parse("--max-running-requests", "auto").max_running_requests is None


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--page-size", "big"), "invalid int value: 'big'"),
        (("--max-running-requests", "many"), "invalid whole number (or \"auto\") value: 'many'"),
        (("--memory-budget", "2 pots"), "'2 pots' is no size: write bytes, or a number with KiB"),
    ],
)
def test_what_is_no_number_is_refused_at_the_flag(
    words: tuple[str, str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        _parse(*words)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert words[0] in said
    assert problem in said
