"""Dashboards and alerts: every figure that they ask for exists, and every threshold is a budget."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from firstlight.budgets import ROWS, load
from tests.live import ask, live

DEPLOY = Path(__file__).parents[3] / "deploy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/firstlight.json").read_text("utf-8"))
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]] + [
    rule["expr"] for rule in RULES
]

METRIC = re.compile(r"\b(firstlight_\w+|vllm:\w+)")
SELECTOR = re.compile(r'(firstlight_\w+)\{(\w+)=~?"([^"]+)"\}')


async def test_every_figure_and_label_that_is_asked_for_exists() -> None:
    async with live() as server:
        await ask(server.client, "Hello")
        text = (await server.anyone.get("/metrics")).text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    names = {sample.name for sample in samples}
    labels = {(sample.name, *label) for sample in samples for label in sample.labels.items()}
    for expression in EXPRESSIONS:
        assert METRIC.findall(expression), expression
        assert set(METRIC.findall(expression)) <= names, expression
        for name, label, values in SELECTOR.findall(expression):
            assert {(name, label, value) for value in values.split("|")} <= labels, expression
        for grouped in re.findall(r"by \(([^)]*)\)", expression):
            known = {label for name, label, _ in labels if name in METRIC.findall(expression)}
            assert set(grouped.split(", ")) <= known | {"instance"}, expression


async def test_every_budget_is_the_end_of_a_bucket_so_that_no_alert_guesses() -> None:
    async with live() as server:
        text = (await server.anyone.get("/metrics")).text
    for row, budget in load().stages.items():
        assert f'firstlight_page_stage_seconds_bucket{{le="{budget.p95_ms / 1000}",stage="{row}"}}' in text


def test_each_row_has_its_alert_and_the_threshold_is_the_budget() -> None:
    alerts = {rule["alert"]: rule["expr"] for rule in RULES}
    budgets = load()
    for row in ROWS[:-1]:
        expression = alerts[f"FirstLight{row.capitalize()}OverBudget"]
        assert f'stage="{row}"' in expression
        assert float(expression.rpartition("> ")[2]) * 1000 == budgets.stages[row].p95_ms
    assert float(alerts["FirstLightTtftOverBudget"].rpartition("> ")[2]) * 1000 == budgets.ttft_ms
    assert 'since_seconds{stage="unaccounted"}' in alerts["FirstLightUnaccountedOverBudget"]


def test_the_line_in_the_dashboard_is_the_budget_too() -> None:
    panel = next(panel for panel in DASHBOARD["panels"] if panel["title"] == "TTFT in the page")
    assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"][1]["value"] * 1000 == load().ttft_ms


def test_every_alert_says_in_words_what_is_wrong() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert len(rule["annotations"]["summary"]) > 10
        assert len(rule["annotations"]["description"]) > 20
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, panel["gridPos"]["y"])
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
    ]
    assert len(set(cells)) == len(cells)
