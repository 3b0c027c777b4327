"""How many tokens a sliding-window pool gets beside a full one.

Mirrors: sglang 0.5.23 model_executor/pool_configurator.py
"""

from pools.errors import InvalidSize


def swa_tokens(full_tokens: int, ratio: float, page_size: int) -> int:
    """Tokens of the sliding-window pool beside a full one, rounded up to pages.

    Args:
        full_tokens: tokens of the full pool.
        ratio: `--swa-full-tokens-ratio`, in (0, 1].
        page_size: tokens per page.

    Raises:
        InvalidSize: a ratio outside (0, 1].
    """
    if not 0 < ratio <= 1:
        raise InvalidSize(f"swa_full_tokens_ratio {ratio} is not in (0, 1]", ratio=ratio)
    return -(-int(full_tokens * ratio) // page_size) * page_size
