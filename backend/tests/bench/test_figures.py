"""What a bench hands back, and how it reads."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version

from firstlight.bench.figures import as_json, as_markdown, percentile, report, table


def test_the_json_object_has_the_four_fields_of_the_contract() -> None:
    shown = json.loads(as_json(report("demo", {"wait_ms_p50": 1.5}, ["uvicorn"], "a note")))
    assert list(shown) == ["bench", "machine", "versions", "figures"]
    assert shown["bench"] == "demo"
    assert shown["versions"] == {"python": platform.python_version(), "uvicorn": version("uvicorn")}
    assert shown["figures"] == {"wait_ms_p50": 1.5}
    assert "cores" in shown["machine"]


def test_the_markdown_has_heading_notes_and_a_table_of_all_figures() -> None:
    shown = as_markdown(report("demo", {"wait_ms_p50": 1.5, "streams": 3}, [], "a note"))
    heading, _, *rest = shown.split("\n\n")
    assert heading == "## bench demo"
    assert rest == ["a note", "| figure | value |\n| --- | ---: |\n| wait_ms_p50 | 1.5 |\n| streams | 3 |"]


def test_a_table_shortens_fractions_and_leaves_the_rest() -> None:
    assert table(["a", "b"], [["x", 1 / 3], ["y", 2.0], ["z", "w"]]) == (
        "| a | b |\n| --- | ---: |\n| x | 0.333 |\n| y | 2 |\n| z | w |"
    )


def test_a_percentile_is_one_of_the_values() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, share) for share in (0, 0.5, 0.95, 1)] == [1.0, 3.0, 5.0, 5.0]
