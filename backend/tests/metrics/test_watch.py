"""Since when a row is over its budget."""

from __future__ import annotations

from firstlight.budgets import Budget
from firstlight.metrics.watch import LEAST, REPLIES, Watch

THREE = Budget(p95_ms=3, means="a row")


def watched(watch: Watch, *values: float, ttft_ms: float = 100) -> list[float]:
    """`since` after each of these replies, one a second."""
    seen = []
    for second, value in enumerate(values, start=1_000):
        watch.add(value, ttft_ms, second)
        seen.append(watch.since)
    return seen


def test_the_moment_stays_that_of_the_first_reply_with_which_the_p95_was_over() -> None:
    seen = watched(Watch(THREE), *[1] * 60, *[4] * 10)
    assert seen == [0] * 63 + [1_063] * 7
    assert seen.index(1_063) - 60 + 1 == REPLIES // 20 + 1


def test_a_row_that_comes_back_within_its_budget_is_forgotten() -> None:
    seen = watched(Watch(THREE), *[4] * 64, *[1] * 64, *[4] * 4)
    assert (seen[63], seen[124], seen[127], seen[131]) == (1_000 + LEAST - 1, 0, 0, 1_131)


def test_a_few_replies_say_nothing() -> None:
    assert watched(Watch(THREE), *[900] * (LEAST - 1)) == [0] * (LEAST - 1)


def test_a_share_of_the_whole_excuses_what_is_more_than_the_figure() -> None:
    row = Budget(p95_ms=3, share=0.05, means="a row")
    assert watched(Watch(row), *[9] * 20, ttft_ms=200)[-1] == 0
    assert watched(Watch(row), *[9] * 20, ttft_ms=100)[-1] > 0
