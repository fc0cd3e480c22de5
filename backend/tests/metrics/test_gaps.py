"""The histogram of gaps is the one that single observations would have made."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram, generate_latest

from firstlight.metrics.gaps import Gaps

BOUNDS = (0.001, 0.01, 0.1)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.001, 0.0011, 0.01, 0.25, 9.0]), st.integers(1, 5))))
def test_many_at_once_count_as_if_they_had_come_one_by_one(gaps: list[tuple[float, int]]) -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    Gaps("gap_seconds", "Gaps.", BOUNDS, ours).add(gaps)
    single = Histogram("gap_seconds", "Gaps.", buckets=BOUNDS, registry=theirs)
    for seconds, times in gaps:
        for _ in range(times):
            single.observe(seconds)

    def samples(registry: CollectorRegistry) -> dict[str, float]:
        kinds = ("_bucket", "_count", "_sum")
        lines = [line.rpartition(" ") for line in generate_latest(registry).decode().splitlines()]
        return {name: round(float(value), 6) for name, _, value in lines if any(kind in name for kind in kinds)}

    assert samples(ours) == samples(theirs)
