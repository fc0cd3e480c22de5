"""What is counted, and when: a request refused, a reply ended, a page's own timing of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import get_args

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram

from firstlight.budgets import ROWS, Budgets
from firstlight.generations import Generation
from firstlight.metrics.exposition import negotiate, write
from firstlight.metrics.gaps import Gaps
from firstlight.metrics.watch import Watch
from firstlight.stages import Stage, parts
from firstlight.wire import Done, ErrorType, FinishReason, HttpVersion, PageTiming

_SECONDS = (
    *(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075),
    *(0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0),
)
_BYTES = (256, 512, 768, 1024, 1536, 2048, 4096, 8192, 16384, 32768)

_SERVERS = (Stage.ROUTING, Stage.ADMISSION, Stage.PREFILL, Stage.DECODE)
"""Rows that the server alone makes: its own marks say how they keep to their budget, the page's report the others."""


class Metrics:
    """The figures of one application: `running` counts replies under way, `computing` those the engine works on.

    `wall` is the clock on the wall, in seconds since 1970.
    """

    def __init__(
        self,
        running: Callable[[], int],
        computing: Callable[[], int],
        budgets: Budgets,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._own = CollectorRegistry()
        # The budgets are ends of buckets, so that the share of replies over one can be told exactly.
        limits = {budget.p95_ms / 1000 for budget in budgets.stages.values()} | {budgets.ttft_ms / 1000}
        self._seconds = sorted({*_SECONDS, *limits})
        self._wall = wall
        self._requests()
        self._server()
        self._page()
        self._watches = {row: Watch(budget) for row, budget in budgets.stages.items()}
        since = self._gauge(
            "firstlight_stage_over_budget_since_seconds",
            "Unix time since which the p95 of the row's last 64 replies has been over its budget; 0: it is within.",
            "stage",
        )
        for row, watch in self._watches.items():
            since.labels(row).set_function(lambda watch=watch: watch.since)  # type: ignore[misc]
        self._gauge("firstlight_running_streams", "Replies under way.").set_function(running)
        self._gauge("firstlight_engine_running", "Replies that the engine works on.").set_function(computing)

    def refused(self, kind: ErrorType) -> None:
        """Count a request that got a problem for an answer."""
        self._outcomes[kind].inc()

    def ended(self, generation: Generation) -> None:
        """Count a reply that has its end."""
        marks, end, exemplar = generation.timeline.marks, generation.log.end, {"generation": generation.id}
        if end is not None:
            self._outcomes[end.finish_reason if isinstance(end, Done) else end.type].inc()
        if isinstance(end, Done):
            self._tokens["prompt"].inc(end.usage.prompt_tokens)
            self._tokens["cached"].inc(end.usage.cached_tokens)
        self._tokens["completion"].inc(generation.log.seq)
        if generation.timeline.head_bytes is not None:
            self._head_bytes.observe(generation.timeline.head_bytes)
        if marks.first_byte is not None:
            self._ttft.observe(marks.first_byte / 1000, exemplar)
        if marks.queued is not None and marks.scheduled is not None:
            self._queue.observe(max(0.0, marks.scheduled - marks.queued) / 1000, exemplar)
        self._itl.add(generation.log.gaps())
        for stage, ms in parts(marks).items():
            self._stages[stage].observe(ms / 1000, exemplar)
            if stage in _SERVERS:
                self._watches[stage].add(ms, marks.first_byte or 0.0, self._wall())

    def reported(self, generation: Generation, timing: PageTiming) -> None:
        """Count what the page saw of a reply; the values are taken for true."""
        exemplar = {"generation": generation.id}
        for row in ROWS:
            ms = getattr(timing.rows, row)
            if ms is not None:
                self._page_stages[row].observe(ms / 1000, exemplar)
                if row not in _SERVERS:
                    self._watches[row].add(ms, timing.ttft, self._wall())
        self._page_ttft.observe(timing.ttft / 1000, exemplar)
        for name, histogram in self._page_others.items():
            ms = getattr(timing, name)
            if ms is not None:
                histogram.observe(ms / 1000, exemplar)
        self._page_reports[timing.protocol, timing.reused].inc()

    def answer(self, accept: str) -> tuple[str, bytes]:
        """Media type and body for an `Accept` header: all there is, the engine's and the process's figures included."""
        media_type = negotiate(accept)
        return media_type, write(media_type, self._own, REGISTRY)

    def _requests(self) -> None:
        requests = self._counter(
            "firstlight_requests",
            "Requests by outcome: a reply's finish reason or error, or the type of the refusal.",
            "outcome",
        )
        kinds = dict.fromkeys([*get_args(FinishReason), *get_args(ErrorType)])
        self._outcomes = {kind: requests.labels(kind) for kind in kinds}
        tokens = self._counter("firstlight_tokens", "Tokens; `cached` are those of `prompt` found computed.", "kind")
        self._tokens = {kind: tokens.labels(kind) for kind in ("prompt", "cached", "completion")}
        self._head_bytes = Histogram(
            "firstlight_request_header_bytes",
            "Request line and headers of a request for a reply.",
            buckets=_BYTES,
            registry=self._own,
        )

    def _server(self) -> None:
        stages = self._histogram("firstlight_stage_seconds", "The server's part of each stage of a reply.", "stage")
        self._stages: dict[Stage, Histogram] = {
            stage: stages.labels(stage) for stage in Stage if stage is not Stage.CAPTURE
        }
        self._ttft = self._histogram(
            "firstlight_ttft_seconds", "From the request's first byte to the first text handed to the socket."
        )
        self._queue = self._histogram("firstlight_queue_seconds", "Handed to the engine to first scheduled.")
        self._itl = Gaps(
            "firstlight_itl_seconds", "Between two tokens, as they left the engine.", self._seconds, self._own
        )

    def _page(self) -> None:
        stages = self._histogram("firstlight_page_stage_seconds", "The rows of the pages' waterfalls.", "stage")
        self._page_stages = {row: stages.labels(row) for row in ROWS}
        self._page_ttft = self._histogram("firstlight_page_ttft_seconds", "Keydown to the painted first text.")
        self._page_others = {
            "itl_p50": self._histogram("firstlight_page_itl_p50_seconds", "Median gap between tokens of a reply."),
            "itl_p95": self._histogram("firstlight_page_itl_p95_seconds", "The 95th percentile of them."),
            "paint_p95": self._histogram(
                "firstlight_page_paint_p95_seconds", "p95 of a reply's chunks, read to painted."
            ),
        }
        reports = self._counter("firstlight_page_reports", "Timings that pages sent.", "protocol", "reused")
        self._page_reports = {
            (protocol, reused): reports.labels(protocol or "unknown", {None: "unknown", True: "yes"}.get(reused, "no"))
            for protocol in (None, *get_args(HttpVersion))
            for reused in (None, True, False)
        }

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self._own)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, registry=self._own)

    def _histogram(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=self._seconds, registry=self._own)
