"""A histogram that takes a whole reply's gaps between tokens at once: one by one they would hold the loop up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString


class Gaps(Collector):
    """Counts by bucket; `bounds` are upper ends in ascending order, in seconds."""

    def __init__(self, name: str, help_text: str, bounds: Sequence[float], registry: CollectorRegistry) -> None:
        self._name = name
        self._help = help_text
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        registry.register(self)

    def add(self, gaps: Iterable[tuple[float, int]]) -> None:
        """Count each gap (seconds) as often as it is said to have been."""
        bounds, counts = self._bounds, self._counts
        for seconds, times in gaps:
            counts[bisect_left(bounds, seconds)] += times
            self._sum += seconds * times

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """The figures, as the registry asks for them."""
        ends = [*map(floatToGoString, self._bounds), "+Inf"]
        buckets = [(end, float(count)) for end, count in zip(ends, accumulate(self._counts), strict=True)]
        yield HistogramMetricFamily(self._name, self._help, buckets=buckets, sum_value=self._sum)
