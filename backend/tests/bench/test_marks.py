"""The bench of marking measures what it says."""

from __future__ import annotations

import pytest

from firstlight.bench import marks


def test_what_is_on_a_replys_way_is_the_sum_of_its_parts_and_small() -> None:
    figures = marks.measure(quick=True).figures
    assert list(figures) == ["reply_us_p50", "marks_us_p50", "server_timing_us_p50", "deltas_us_p50", "ended_us_p50"]
    parts = ("marks_us_p50", "server_timing_us_p50", "deltas_us_p50")
    assert figures["reply_us_p50"] == pytest.approx(sum(figures[part] for part in parts))
    assert figures["reply_us_p50"] < 1_000  # a generous ceiling: the bar of 50 is for a quiet machine
