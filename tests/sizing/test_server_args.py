"""What a workload wants of the server, and what stands against it."""

from app.sizing.server_args import ServerArgs, suited


def test_suited_fills_in_where_a_flag_was_left_at_its_default() -> None:
    args = suited(ServerArgs(), {"page_size": 1_024, "checks": "upstream"})
    assert (args.page_size, args.checks) == (1_024, "upstream")
    assert args.max_total_tokens == ServerArgs().max_total_tokens


def test_suited_lets_a_given_flag_stand() -> None:
    args = suited(ServerArgs(page_size=64), {"page_size": 1_024, "hicache_ratio": 0.0})
    assert (args.page_size, args.hicache_ratio) == (64, 0.0)
