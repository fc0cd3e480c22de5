"""Reports and metrics as a page and a server would give them, with whatever a test wants slow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from firstlight import budgets
from firstlight.doctor.causes import Suspect, suspects
from firstlight.doctor.evidence import of_report, of_scrape
from firstlight.doctor.judge import judge
from firstlight.doctor.report import parse as parse_report
from firstlight.doctor.scrape import parse as parse_scrape

BEGAN = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
LIMITS = budgets.load()
ROWS = {
    **{"capture": 1.0, "connection": 4.0, "routing": 0.2, "admission": 0.4},
    **{"prefill": 40.0, "decode": 0.5, "assembly": 8.0, "unaccounted": 0.3},
}


def reply(minute: float = 0, *, rows: Mapping[str, float | None] | None = None, **more: Any) -> dict[str, Any]:
    """A quick reply asked `minute` minutes after the first; `rows` and further fields replace its own."""
    told: dict[str, float | None] = {**ROWS, **(rows or {})}
    known = [value for value in told.values() if value is not None]
    asked_at = (BEGAN + timedelta(minutes=minute)).isoformat()
    return {"asked_at": asked_at, "ttft_ms": sum(known), "rows": told, "missing": []} | more


def report(*replies: dict[str, Any]) -> bytes:
    """A page's export of `replies`."""
    return json.dumps({"version": 1, "browser": "b", "made_at": "m", "replies": replies}).encode()


def metrics(stages: Mapping[str, float], *, count: int = 40, more: str = "") -> bytes:
    """Metrics of `count` replies, each stage's server part in the bucket that ends at the given seconds."""
    lines = [
        f'firstlight_ttft_seconds_bucket{{le="0.1"}} {count}',
        f'firstlight_ttft_seconds_bucket{{le="+Inf"}} {count}',
    ]
    lines += [f"firstlight_ttft_seconds_count {count}", "firstlight_ttft_seconds_sum 1"]
    for stage, seconds in stages.items():
        name = "firstlight_stage_seconds"
        lines += [
            f'{name}_bucket{{stage="{stage}",le="{seconds / 2}"}} 0',
            f'{name}_bucket{{stage="{stage}",le="{seconds}"}} {count}',
            f'{name}_bucket{{stage="{stage}",le="+Inf"}} {count}',
            f'{name}_count{{stage="{stage}"}} {count}',
        ]
    return "\n".join([*lines, more, ""]).encode()


def causes_of(data: bytes, stage: str) -> dict[str, Suspect]:
    """The suspects, by name and in their order, of the row `stage`, which must be over in the report or metrics."""
    seen = parse_report(data, "r") if data.startswith(b"{") else parse_scrape(data, "m")
    row = judge(seen, LIMITS).rows[stage]
    assert row.over
    evidence = of_scrape(seen, stage, row) if not hasattr(seen, "replies") else of_report(seen, stage, row, LIMITS)
    return {suspect.name: suspect for suspect in suspects(evidence)}
