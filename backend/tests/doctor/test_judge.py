"""The verdict: which row is over, by how much, since when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from firstlight.budgets import ROWS
from firstlight.doctor.judge import Row, judge
from firstlight.doctor.report import parse as parse_report
from firstlight.doctor.scrape import parse as parse_scrape
from tests.doctor.synthetic import BEGAN, LIMITS, metrics, reply, report


def test_a_quick_report_is_healthy_and_blames_nobody() -> None:
    verdict = judge(parse_report(report(reply(), reply(1)), "r"), LIMITS)
    assert (verdict.healthy, verdict.blamed, verdict.replies, tuple(verdict.rows)) == (True, None, 2, ROWS)
    assert verdict.rows["prefill"] == Row(100.0, 2, 40.0, 40.0)


def test_a_row_over_its_budget_is_told_with_its_excess_since_the_first_of_the_unbroken_run() -> None:
    slow = {"prefill": 260.0}
    data = report(reply(0, rows=slow), reply(1), reply(2, rows=slow), reply(3, rows=slow))
    verdict = judge(parse_report(data, "r"), LIMITS)
    assert verdict.rows["prefill"] == Row(100.0, 4, 260.0, 260.0, 160.0, over=True, since=BEGAN + timedelta(minutes=2))
    assert (verdict.healthy, verdict.blamed) == (False, "prefill")


def test_the_order_in_the_file_does_not_matter_and_a_quick_latest_reply_ends_the_run() -> None:
    data = report(reply(5), reply(0, rows={"prefill": 260.0}))
    row = judge(parse_report(data, "r"), LIMITS).rows["prefill"]
    assert (row.over, row.since) == (True, None)


def test_the_largest_excess_in_milliseconds_is_blamed_not_the_largest_ratio() -> None:
    data = report(reply(rows={"routing": 33.0, "connection": 120.0}))
    verdict = judge(parse_report(data, "r"), LIMITS)
    assert {name: row.excess_ms for name, row in verdict.rows.items() if row.over} == {"routing": 30, "connection": 60}
    assert verdict.blamed == "connection"


def test_a_row_that_nobody_told_is_not_over_and_the_reasons_are_counted() -> None:
    why = "The page was hidden."
    untold = reply(rows={"assembly": None}, missing=[why, why])
    verdict = judge(parse_report(report(untold, reply(1, rows={"assembly": None}, missing=[why])), "r"), LIMITS)
    assert verdict.rows["assembly"] == Row(35.0)
    assert (verdict.missing, verdict.healthy) == ({why: 2}, True)


def test_unaccounted_may_take_its_share_of_a_long_reply() -> None:
    slow = report(reply(rows={"prefill": 90.0, "unaccounted": 5.0}))
    long = report(reply(rows={"prefill": 90.0, "unaccounted": 5.0}, ttft_ms=190.0))
    assert judge(parse_report(slow, "r"), LIMITS).blamed is None
    assert judge(parse_report(long, "r"), LIMITS).rows["unaccounted"].budget_ms == 9.5


def test_the_whole_may_be_over_though_no_stage_is() -> None:
    rows = {"prefill": 99.0, "connection": 59.0, "decode": 49.0}
    verdict = judge(parse_report(report(reply(rows=rows)), "r"), LIMITS)
    assert (verdict.healthy, verdict.blamed, verdict.ttft.over) == (False, None, True)


def test_metrics_are_judged_by_the_servers_part_where_no_page_told() -> None:
    verdict = judge(parse_scrape(metrics({"prefill": 0.4, "routing": 0.001}), "m"), LIMITS)
    assert verdict.rows["prefill"] == Row(100.0, 40, 300.0, 390.0, 290.0, over=True)
    assert (verdict.blamed, verdict.source, verdict.replies) == ("prefill", "metrics", 40)
    assert verdict.rows["routing"].over is False
    assembly = judge(parse_scrape(metrics({"assembly": 0.4}), "m"), LIMITS).rows["assembly"]
    assert (assembly.over, assembly.part) == (True, True)


def test_the_gauge_of_the_latest_replies_decides_and_says_since_when() -> None:
    gauge = 'firstlight_stage_over_budget_since_seconds{{stage="prefill"}} {}'
    now_within = judge(parse_scrape(metrics({"prefill": 0.4}, more=gauge.format(0)), "m"), LIMITS)
    now_over = judge(parse_scrape(metrics({"prefill": 0.05}, more=gauge.format(1_796_126_400)), "m"), LIMITS)
    assert now_within.healthy
    row = now_over.rows["prefill"]
    assert (row.over, row.excess_ms, row.since) == (True, 0.0, datetime(2026, 12, 1, 12, 0, tzinfo=UTC))


def test_a_gauge_that_has_seen_too_few_replies_does_not_decide() -> None:
    more = 'firstlight_stage_over_budget_since_seconds{stage="prefill"} 0'
    assert judge(parse_scrape(metrics({"prefill": 0.4}, count=15, more=more), "m"), LIMITS).blamed == "prefill"
    assert judge(parse_scrape(metrics({"prefill": 0.4}, count=16, more=more), "m"), LIMITS).blamed is None


def test_a_page_that_told_a_row_counts_more_than_the_server() -> None:
    page = "\n".join(
        [
            'firstlight_page_stage_seconds_bucket{stage="assembly",le="0.2"} 10',
            'firstlight_page_stage_seconds_bucket{stage="assembly",le="+Inf"} 10',
            'firstlight_page_stage_seconds_count{stage="assembly"} 10',
        ]
    )
    row = judge(parse_scrape(metrics({"assembly": 0.001}, more=page), "m"), LIMITS).rows["assembly"]
    assert row == Row(35.0, 10, 100.0, 190.0, 155.0, over=True)
