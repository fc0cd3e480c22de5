"""What a server says at `/metrics`: histograms and single figures, by name and labels, in seconds."""

from __future__ import annotations

import math
from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

from firstlight.errors import StartError

Labels = tuple[tuple[str, str], ...]


class Scrape:
    """The samples of one scrape that are finite and not negative."""

    def __init__(self, samples: dict[str, dict[Labels, float]]) -> None:
        self._samples = samples

    def value(self, name: str, **labels: str) -> float | None:
        """The sum of the samples called `name` that have `labels`; None where there is none."""
        found = [value for _, value in self._having(name, labels)]
        return sum(found) if found else None

    def count(self, name: str, **labels: str) -> int:
        """Observations of the histogram `name`; 0 where there is none."""
        return int(self.value(f"{name}_count", **labels) or 0)

    def quantile(self, name: str, share: float, **labels: str) -> float | None:
        """The value below which `share` (0 to 1) of the observations lie, interpolated inside its bucket.

        Beyond the last bucket with an end it is that end. None where nothing was observed.
        """
        buckets: dict[float, float] = {}
        for own, value in self._having(f"{name}_bucket", labels):
            bound = _number(dict(own).get("le", ""))
            buckets[bound] = buckets.get(bound, 0.0) + value
        bounds = sorted(bound for bound in buckets if bound > 0)
        if not bounds or buckets[bounds[-1]] <= 0:
            return None
        wanted, low, below = share * buckets[bounds[-1]], 0.0, 0.0
        for bound in bounds:
            if buckets[bound] >= wanted and buckets[bound] > below:
                return low if math.isinf(bound) else low + (bound - low) * (wanted - below) / (buckets[bound] - below)
            low, below = (low if math.isinf(bound) else bound), max(below, buckets[bound])
        return low

    def _having(self, name: str, labels: dict[str, str]) -> Iterator[tuple[Labels, float]]:
        for own, value in self._samples.get(name, {}).items():
            if labels.items() <= dict(own).items():
                yield own, value


def parse(data: bytes, name: str) -> Scrape:
    """The metrics in `data`. Raises StartError with one line where they are none, not ours, or know of no reply."""
    samples: dict[str, dict[Labels, float]] = {}
    try:
        for family in text_string_to_metric_families(data.decode()):
            for sample in family.samples:
                if math.isfinite(sample.value) and sample.value >= 0:
                    samples.setdefault(sample.name, {})[tuple(sample.labels.items())] = sample.value
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise StartError(f"{name} is neither a report exported by the page nor metrics") from error
    if not any(found.startswith("firstlight_") for found in samples):
        raise StartError(f"{name} has no figure of First Light: is something else answering there?")
    scrape = Scrape(samples)
    if not scrape.count("firstlight_ttft_seconds"):
        raise StartError(f"{name} knows of no reply yet: send a message, then ask again")
    return scrape


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return -1.0
    return -1.0 if math.isnan(value) else value
