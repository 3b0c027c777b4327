"""What prompts share, in bounded memory, against plain sets of prefixes."""

from hypothesis import given
from hypothesis import strategies as st

from app.traces.sharing import NOT_JUDGED, Sharing

PROMPTS = st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=30)


@given(PROMPTS)
def test_hits_are_leading_blocks_of_an_earlier_prompt(prompts: list[list[int]]) -> None:
    sharing, known = Sharing(), set[tuple[int, ...]]()
    for prompt in prompts:
        prefixes = [tuple(prompt[:end]) for end in range(1, len(prompt) + 1)]
        assert sharing.take(prompt) == sum(prefix in known for prefix in prefixes)
        known.update(prefixes)


@given(PROMPTS)
def test_ids_are_chained_when_each_has_one_past(prompts: list[list[int]]) -> None:
    sharing, pasts = Sharing(), dict[int, set[tuple[int, ...]]]()
    for prompt in prompts:
        sharing.take(prompt)
        for at, one in enumerate(prompt):
            pasts.setdefault(one, set()).add(tuple(prompt[:at]))
    assert sharing.chained == all(len(found) == 1 for found in pasts.values())


def test_memory_is_bounded_and_the_rest_is_not_judged() -> None:
    sharing = Sharing(max_prefixes=4)
    assert [sharing.take(prompt) for prompt in ([1, 2], [1, 2], [1, 3, 4], [1, 2])] == [
        0, 2, 1, NOT_JUDGED,
    ]  # fmt: skip
    assert sharing.full
