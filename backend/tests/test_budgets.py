"""The budgets: one file, whole, with the rows that everything else has."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstlight import budgets
from firstlight.errors import StartError
from firstlight.stages import Stage
from firstlight.wire import Rows


def test_there_is_a_budget_for_each_row_of_the_waterfall() -> None:
    assert budgets.ROWS == (*Stage, "unaccounted") == Rows.__struct_fields__
    loaded = budgets.load()
    assert {name: budget.p95_ms for name, budget in loaded.stages.items()} == {
        "capture": 8,
        "connection": 60,
        "routing": 3,
        "admission": 3,
        "prefill": 100,
        "decode": 50,
        "assembly": 35,
        "unaccounted": 3,
    }
    assert loaded.ttft_ms == 200


def test_a_share_of_the_whole_counts_where_it_is_more() -> None:
    unaccounted = budgets.load().stages["unaccounted"]
    assert [unaccounted.limit_ms(ttft) for ttft in (0, 60, 200)] == [3, 3, 10]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        ("{", "Input data was truncated"),
        ('{"version": 1, "about": "", "ttft_ms": 1, "stages": {}}', "must have just these rows"),
    ],
)
def test_budgets_that_cannot_be_read_stop_the_start_with_one_line(
    tmp_path: Path, content: str | None, reason: str
) -> None:
    path = tmp_path / "budgets.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(StartError, match=reason) as refused:
        budgets.load(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
