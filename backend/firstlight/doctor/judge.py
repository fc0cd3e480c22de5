"""Which rows exceed their budgets, by how much and since when: the same verdict from a report or from metrics."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct

from firstlight.budgets import ROWS, Budgets
from firstlight.doctor.report import Reply, Report, any_row
from firstlight.doctor.scrape import Scrape
from firstlight.metrics.watch import LEAST

SERVED = ("routing", "admission", "prefill", "decode")
"""Rows that the server alone makes: its own part is the whole row."""


class Row(Struct, frozen=True):
    """One row, over `replies` replies that tell it. Milliseconds; `excess_ms` is the p95 over its budget.

    `since`: when the first reply was asked of the unbroken run that is over; None where the latest is within, or where
    nobody noted it. `part`: only the server's part of the row is known.
    """

    budget_ms: float
    replies: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    excess_ms: float = 0.0
    over: bool = False
    since: datetime | None = None
    part: bool = False


class Verdict(Struct, frozen=True):
    """All rows in their order, the whole (`ttft`), and why rows could not be told, with how many replies say so."""

    source: Literal["report", "metrics"]
    replies: int
    ttft: Row
    rows: dict[str, Row]
    missing: dict[str, int]

    @property
    def healthy(self) -> bool:
        """Whether nothing is over its budget."""
        return not self.ttft.over and not any(row.over for row in self.rows.values())

    @property
    def blamed(self) -> str | None:
        """The row with the largest excess, or None."""
        over = {name: row for name, row in self.rows.items() if row.over}
        return max(over, key=lambda name: over[name].excess_ms) if over else None


def judge(seen: Report | Scrape, budgets: Budgets) -> Verdict:
    """The verdict on a report or a scrape."""
    return _of_replies(seen.replies, budgets) if isinstance(seen, Report) else _of_scrape(seen, budgets)


def _of_replies(replies: Sequence[Reply], budgets: Budgets) -> Verdict:
    told = sorted((reply for reply in replies if any_row(reply)), key=lambda reply: reply.asked_at)
    rows = {}
    for name in ROWS:
        known = [
            (reply.asked_at, value, budgets.stages[name].limit_ms(reply.ttft_ms or 0.0))
            for reply in told
            if (value := getattr(reply.rows, name)) is not None
        ]
        rows[name] = _row(known, budgets.stages[name].p95_ms)
    whole = [(reply.asked_at, reply.ttft_ms, budgets.ttft_ms) for reply in replies if reply.ttft_ms is not None]
    missing = Counter(reason for reply in replies for reason in dict.fromkeys(reply.missing))
    return Verdict("report", len(told), _row(sorted(whole), budgets.ttft_ms), rows, dict(missing.most_common()))


def _row(known: Sequence[tuple[datetime, float, float]], budget_ms: float) -> Row:
    """The row whose values are `known`, oldest first, as (asked at, milliseconds, what it may take)."""
    if not known:
        return Row(budget_ms)
    worst = sorted(known, key=lambda one: one[1] - one[2])[min(len(known) - 1, int(len(known) * 0.95))]
    values = [value for _, value, _ in known]
    since = None
    for asked_at, value, limit in reversed(known):
        if value <= limit:
            break
        since = asked_at
    excess = round(max(0.0, worst[1] - worst[2]), 3)
    over = excess > 0
    return Row(worst[2], len(known), statistics.median(values), worst[1], excess, over, since=since if over else None)


def _of_scrape(scrape: Scrape, budgets: Budgets) -> Verdict:
    server_ttft = "firstlight_ttft_seconds"
    name = "firstlight_page_ttft_seconds" if scrape.count("firstlight_page_ttft_seconds") else server_ttft
    # The whole has no gauge: where those of all that the server makes are within, a p95 since its start is history.
    settled = all(_watched(scrape, stage, "firstlight_stage_seconds") == 0 for stage in SERVED)
    ttft = _observed(scrape, name, {}, budgets.ttft_ms, 0.0 if settled else None)
    rows = {stage: _stage(scrape, stage, budgets, ttft.p95_ms or 0.0) for stage in ROWS}
    return Verdict("metrics", scrape.count(server_ttft), ttft, rows, {})


def _stage(scrape: Scrape, stage: str, budgets: Budgets, ttft_ms: float) -> Row:
    pages, limit = "firstlight_page_stage_seconds", budgets.stages[stage].limit_ms(ttft_ms)
    if stage in SERVED:
        name = "firstlight_stage_seconds"
        return _observed(scrape, name, {"stage": stage}, limit, _watched(scrape, stage, name))
    if scrape.count(pages, stage=stage):
        return _observed(scrape, pages, {"stage": stage}, limit, _watched(scrape, stage, pages))
    return _observed(scrape, "firstlight_stage_seconds", {"stage": stage}, limit, None, part=True)


def _watched(scrape: Scrape, stage: str, observed: str) -> float | None:
    """The gauge of the latest replies; None where it is absent, or has seen too few to say anything."""
    enough = scrape.count(observed, stage=stage) >= LEAST
    return scrape.value("firstlight_stage_over_budget_since_seconds", stage=stage) if enough else None


def _observed(
    scrape: Scrape, name: str, labels: dict[str, str], budget_ms: float, since: float | None, *, part: bool = False
) -> Row:
    """A histogram as a row. The gauge `since` (0: within; None: there is none) is of the latest replies and decides."""
    p50, p95 = (scrape.quantile(name, share, **labels) for share in (0.5, 0.95))
    if p50 is None or p95 is None:
        return Row(budget_ms)
    excess = round(max(0.0, p95 * 1_000 - budget_ms), 3)
    over = excess > 0 if since is None else since > 0
    return Row(
        budget_ms,
        scrape.count(name, **labels),
        round(p50 * 1_000, 3),
        round(p95 * 1_000, 3),
        excess if over else 0.0,
        over,
        _moment(since or 0.0),
        part,
    )


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (OverflowError, ValueError, OSError):
        return None
