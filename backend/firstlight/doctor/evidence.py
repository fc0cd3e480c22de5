"""What a source, the host and a request of our own tell about one row that is over: what the causes look at.

A part of a row is a span between two marks, in milliseconds. From a report it is the median over the replies that are
over; from metrics only what has a histogram is known. What nobody told is None, or not in `parts`.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

from msgspec import Struct

from firstlight.budgets import Budgets
from firstlight.doctor.host import Check
from firstlight.doctor.judge import Row
from firstlight.doctor.report import Reply, Report
from firstlight.doctor.scrape import Scrape

_SERVER = {
    "tokenised - shaped": ("shaped", "tokenised"),
    "queued - tokenised": ("tokenised", "queued"),
    "scheduled - queued": ("queued", "scheduled"),
    "first_token - scheduled": ("scheduled", "first_token"),
    "first_byte - first_text": ("first_text", "first_byte"),
    "body - routed": ("routed", "body"),
    "verified - body": ("body", "verified"),
    "shaped - bucket": ("bucket", "shaped"),
}
_PAGE = {
    "sent - keydown": ("keydown", "sent"),
    "parsed - read": ("read", "parsed"),
    "committed - parsed": ("parsed", "committed"),
    "painted - committed": ("committed", "painted"),
}
PAUSE = timedelta(minutes=10)
"""A page that rests for longer may need a new token: they are good for a quarter of an hour."""


class Evidence(Struct, frozen=True):
    """About the row `stage`: its p95 `row_ms`, over `replies` replies of which `slow` are over (None: not told)."""

    stage: str
    row_ms: float
    replies: int
    slow: int | None = None
    parts: dict[str, float] = {}
    first_only: bool | None = None
    """Whether the first reply alone is over."""
    after_pause: bool | None = None
    """Whether each slow reply is the page's first, or comes after a pause of minutes."""
    reused: bool | None = None
    """Whether all slow replies (metrics: 95 of 100) went over a connection that was there already."""
    header_bytes: float | None = None
    uncached_tokens: float | None = None
    cached_again: float | None = None
    """Share of a prompt that a follow-up, or any prompt in metrics, found in the prefix cache."""
    first_tokens: int | None = None
    """Tokens that came with the first text."""
    dropped_frames: int | None = None
    in_a_lump: bool | None = None
    """Whether the events arrived much closer together than they were sent."""
    falls_behind_ms: float | None = None
    """How much later, beside when it was sent, the last event was read than the most punctual one."""
    refused_tokens: int | None = None
    """Requests refused for their token."""
    said: str = ""
    """What the page says of the replies that are slow or do not tell the row, lower case."""
    host: dict[str, Check] = {}
    is_host: bool = False
    """Whether the machine looked at is the server's."""

    def part(self, name: str) -> float | None:
        """The named span, milliseconds."""
        return self.parts.get(name)

    @property
    def page_told(self) -> bool:
        """Whether the source is a report."""
        return self.slow is not None


def of_report(report: Report, stage: str, row: Row, budgets: Budgets) -> Evidence:
    """The evidence in a report about `stage`, whose verdict is `row`."""
    told = sorted(
        (reply for reply in report.replies if getattr(reply.rows, stage) is not None), key=lambda reply: reply.asked_at
    )
    budget = budgets.stages[stage]
    slow = [reply for reply in told if getattr(reply.rows, stage) > budget.limit_ms(reply.ttft_ms or 0.0)]
    chunks = [_lags(reply) for reply in slow]
    return Evidence(
        stage,
        row.p95_ms or 0.0,
        row.replies,
        len(slow),
        _parts(slow),
        first_only=slow == told[:1] if len(told) > 1 else None,
        after_pause=all(_rested(reply, told) for reply in slow),
        reused=_all_known([reply.wire.reused for reply in slow]),
        header_bytes=_median([reply.wire.request_header_bytes for reply in slow]),
        uncached_tokens=_median([_uncached(reply) for reply in slow]),
        cached_again=_median([_cached_again(reply, told) for reply in slow]),
        first_tokens=max((reply.timeline[0].tokens for reply in slow if reply.timeline), default=None),
        dropped_frames=sum(reply.dropped_frames for reply in slow),
        in_a_lump=_any_known([lumped(lags) for lags in chunks]),
        falls_behind_ms=_median([_behind(lags) for lags in chunks]),
        said=_said([*slow, *(reply for reply in report.replies if getattr(reply.rows, stage) is None)]),
    )


def of_scrape(scrape: Scrape, stage: str, row: Row) -> Evidence:
    """The evidence in metrics about `stage`, whose verdict is `row`."""
    queue = scrape.quantile("firstlight_queue_seconds", 0.95)
    flush = scrape.quantile("firstlight_stage_seconds", 0.95, stage="assembly")
    paint = scrape.quantile("firstlight_page_paint_p95_seconds", 0.95)
    parts = {"scheduled - queued": queue, "first_byte - first_text": flush, "painted - read": paint}
    hits, queries = (scrape.value(f"vllm:prefix_cache_{name}_total") for name in ("hits", "queries"))
    return Evidence(
        stage,
        row.p95_ms or 0.0,
        row.replies,
        # Where even the usual reply is over, it is not the first alone.
        first_only=False if row.replies > 2 and (row.p50_ms or 0.0) > row.budget_ms else None,
        parts={name: seconds * 1_000 for name, seconds in parts.items() if seconds is not None},
        reused=_mostly_reused(scrape),
        header_bytes=scrape.quantile("firstlight_request_header_bytes", 0.95),
        cached_again=hits / queries if hits is not None and queries else None,
        refused_tokens=int(scrape.value("firstlight_requests_total", outcome="unauthenticated") or 0),
    )


def lumped(lags: Sequence[tuple[float, float]]) -> bool | None:
    """Whether events, each (sent, arrived) in milliseconds, arrive much closer together than they were sent.

    None where they were sent too close together to tell.
    """
    if len(lags) < 3:
        return None
    sent, arrived = (max(times) - min(times) for times in zip(*lags, strict=True))
    return arrived < sent / 2 if sent >= 50 else None


def _mostly_reused(scrape: Scrape) -> bool | None:
    """Whether new connections are too few to make a p95; None where no page told."""
    yes, no = (scrape.value("firstlight_page_reports_total", reused=answer) or 0.0 for answer in ("yes", "no"))
    return no < 0.05 * (yes + no) if yes + no else None


def _parts(slow: Sequence[Reply]) -> dict[str, float]:
    spans: dict[str, list[float]] = {}
    for reply in slow:
        for name, (begin, end) in _SERVER.items():
            _add(spans, name, getattr(reply.server, begin), getattr(reply.server, end))
        for name, (begin, end) in _PAGE.items():
            _add(spans, name, reply.page.get(begin), reply.page.get(end))
    return {name: statistics.median(values) for name, values in spans.items()}


def _add(spans: dict[str, list[float]], name: str, begin: float | None, end: float | None) -> None:
    if begin is not None and end is not None:
        spans.setdefault(name, []).append(end - begin)


def _said(replies: Sequence[Reply]) -> str:
    return " ".join(reason.lower() for reply in replies for reason in reply.missing)


def _lags(reply: Reply) -> list[tuple[float, float]]:
    return [(chunk.at, chunk.read) for chunk in reply.timeline if chunk.at is not None]


def _behind(lags: Sequence[tuple[float, float]]) -> float | None:
    late = [arrived - sent for sent, arrived in lags]
    return late[-1] - min(late) if late else None


def _rested(reply: Reply, told: Sequence[Reply]) -> bool:
    before = [other.asked_at for other in told if other.asked_at < reply.asked_at]
    return not before or reply.asked_at - before[-1] >= PAUSE


def _uncached(reply: Reply) -> float | None:
    if reply.usage is not None:
        return float(reply.usage.prompt_tokens - reply.usage.cached_tokens)
    return reply.prompt_tokens


def _cached_again(reply: Reply, told: Sequence[Reply]) -> float | None:
    """A prompt longer than the one before and its answer is taken for a follow-up; of others nothing can be said."""
    for before, after in pairwise(told):
        if after is reply and before.usage and reply.usage and before.usage.prompt_tokens > 0:
            had = before.usage.prompt_tokens + before.usage.completion_tokens
            return reply.usage.cached_tokens / had if reply.usage.prompt_tokens > had else None
    return None


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _all_known(values: Sequence[bool | None]) -> bool | None:
    known = [value for value in values if value is not None]
    return all(known) if known else None


def _any_known(values: Sequence[bool | None]) -> bool | None:
    known = [value for value in values if value is not None]
    return any(known) if known else None
