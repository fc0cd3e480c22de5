"""The token bucket: never more than it holds and gains, never less."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.admission.bucket import Buckets

gaps = st.lists(st.floats(0, 1000), max_size=60)
rates = st.floats(1e-3, 1e3)
bursts = st.integers(1, 50)


def test_ten_calls_pass_and_the_eleventh_is_told_to_wait_for_one_more() -> None:
    buckets = Buckets(rate=1.0, burst=10, max_users=5)
    waits = [buckets.take("ann", 5.0 + n / 100) for n in range(11)]
    assert waits[:10] == [0.0] * 10
    assert waits[10] == pytest.approx(0.9)


def test_users_do_not_share_a_bucket() -> None:
    buckets = Buckets(rate=1.0, burst=1, max_users=5)
    assert [buckets.take(user, 0.0) for user in ("ann", "bob", "ann", "bob")] == [0.0, 0.0, 1.0, 1.0]


def test_the_longest_unused_bucket_is_forgotten_first() -> None:
    buckets = Buckets(rate=1.0, burst=1, max_users=2)
    for user in ("ann", "bob", "ann", "cid"):
        buckets.take(user, 0.0)
    assert len(buckets) == 2
    assert [buckets.take(user, 0.0) > 0 for user in ("ann", "cid", "bob")] == [True, True, False]


@given(
    gaps=st.lists(st.integers(0, 4096).map(lambda n: n / 64), max_size=80),
    rate=st.sampled_from([0.25, 0.5, 1.0, 2.0, 16.0]),
    burst=bursts,
)
def test_it_decides_as_exact_arithmetic_does(gaps: list[float], rate: float, burst: int) -> None:
    buckets = Buckets(rate, burst, max_users=1)
    level, last = Fraction(burst), Fraction(0)
    for at in accumulate(gaps):
        level, last = min(Fraction(burst), level + (Fraction(at) - last) * Fraction(rate)), Fraction(at)
        assert (buckets.take("ann", at) == 0) == (level >= 1)
        level -= level >= 1


@given(gaps=gaps, rate=rates, burst=bursts)
def test_no_span_of_time_admits_more_than_the_burst_and_what_is_gained_in_it(
    gaps: list[float], rate: float, burst: int
) -> None:
    buckets = Buckets(rate, burst, max_users=1)
    times = [at for at in accumulate(gaps) if buckets.take("ann", at) == 0]
    for first, start in enumerate(times):
        for count, end in enumerate(times[first:], 1):
            assert count <= burst + (end - start) * rate + 1e-6 * len(times)


@given(gaps=gaps, rate=rates, burst=bursts)
def test_whoever_waits_as_long_as_told_is_admitted(gaps: list[float], rate: float, burst: int) -> None:
    buckets = Buckets(rate, burst, max_users=1)
    for at, _ in pairwise([*accumulate(gaps), 0.0]):
        wait = buckets.take("ann", at)
        assert 0 <= wait <= 1 / rate
        if wait:
            assert Buckets.take(_copy(buckets), "ann", at + wait * 1.000001 + 1e-6) == 0


def _copy(buckets: Buckets) -> Buckets:
    twin = Buckets(buckets._rate, buckets._burst, buckets._max_users)
    twin._levels = buckets._levels.copy()
    return twin
