"""The server's own figures, as Prometheus text: all named `firstlight_*`. Labels come from our own short lists."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from firstlight.generations import Generation
from firstlight.wire import Done, ErrorType

_TTFT_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0, 30.0)


class Metrics:
    """The figures of one application: `running` counts replies under way, `computing` those the engine works on."""

    def __init__(self, running: Callable[[], int], computing: Callable[[], int]) -> None:
        self._own = CollectorRegistry()
        self._requests = Counter(
            "firstlight_requests",
            "Requests by outcome: a reply's finish reason or error, or the type of the refusal.",
            ["outcome"],
            registry=self._own,
        )
        self._ttft = Histogram(
            "firstlight_ttft_seconds",
            "From the request's first byte to the first text handed to the socket.",
            buckets=_TTFT_BUCKETS,
            registry=self._own,
        )
        streams = Gauge("firstlight_running_streams", "Replies under way.", registry=self._own)
        streams.set_function(running)
        engine = Gauge("firstlight_engine_running", "Replies that the engine works on.", registry=self._own)
        engine.set_function(computing)

    def refused(self, kind: ErrorType) -> None:
        """Count a request that got a problem for an answer."""
        self._requests.labels(kind).inc()

    def ended(self, generation: Generation) -> None:
        """Count a reply that has its end."""
        end = generation.log.end
        if end is not None:
            self._requests.labels(end.finish_reason if isinstance(end, Done) else end.type).inc()
        if generation.timeline.marks.first_byte is not None:
            self._ttft.observe(generation.timeline.marks.first_byte / 1000)

    def text(self) -> bytes:
        """Everything there is, the engine's and the process's figures included."""
        return generate_latest(self._own) + generate_latest(REGISTRY)
