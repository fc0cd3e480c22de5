"""The command: its exit codes, its one line where it cannot read, and that no input makes it fall over."""

from __future__ import annotations

import io
import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.__main__ import main
from firstlight.doctor import host
from firstlight.doctor.read import parse
from firstlight.errors import StartError
from tests.doctor.synthetic import metrics, reply, report

NO_ROWS = dict.fromkeys(reply()["rows"])
ROW = {"replies", "p50_ms", "p95_ms", "budget_ms", "excess_ms", "over", "since"}
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's files are looked at once: nothing is waited for."""
    monkeypatch.setattr(host, "time", type("NoTime", (), {"sleep": staticmethod(lambda _: None)}))


def run(data: bytes, *options: str) -> int:
    """`firstlight doctor -` with `data` on standard input."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        return main(["doctor", "-", *options])
    finally:
        sys.stdin = before


def test_a_healthy_report_gets_one_line_and_exit_code_0(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(report(reply(), reply(1)))
    assert main(["doctor", str(file)]) == 0
    assert capsys.readouterr().out == (
        "Healthy: 2 replies, TTFT p50 54.4 ms, p95 54.4 ms (budget 200.0 ms); every stage is within its budget.\n"
    )


def test_what_is_over_is_told_in_words_and_exits_with_1(capsys: Capture) -> None:
    marks = {"shaped": 1, "tokenised": 2, "queued": 3, "scheduled": 250, "first_token": 301}
    assert run(report(reply(rows={"prefill": 300}, server=marks))) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Over budget: prefill. 1 reply, TTFT p50 314.4 ms, p95 314.4 ms (budget 200.0 ms)."
    assert lines[2] == (
        "prefill is 200.0 ms over: p50 300.0 ms, p95 300.0 ms against 100.0 ms, in 1 reply; "
        "since 2026-12-01 12:00:00 UTC."
    )
    assert lines[3] == "  - queueing for a place in the engine: scheduled - queued takes 247.0 ms of 300.0."
    assert lines[4].startswith("      Check: firstlight_engine_running")
    assert "This machine (it counts if the server runs here):" in lines


def test_the_json_object_has_its_stable_names(capsys: Capture) -> None:
    assert run(report(reply(rows={"prefill": 300, "assembly": None}, missing=["Why."])), "--json") == 1
    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == ["version", "source", "replies", "healthy", "blamed", "ttft", "stages", "missing", "host"]
    assert (shown["version"], shown["source"], shown["healthy"], shown["blamed"]) == (1, "report", False, "prefill")
    assert set(shown["ttft"]) == ROW
    assert {frozenset(row) for row in shown["stages"].values()} == {frozenset(ROW | {"causes"})}
    assert set(shown["stages"]["prefill"]["causes"][0]) == {"name", "title", "supported", "evidence", "check"}
    assert shown["stages"]["prefill"]["since"] == "2026-12-01T12:00:00Z"
    assert shown["stages"]["assembly"]["p95_ms"] is None
    assert shown["missing"] == [{"why": "Why.", "replies": 1}]
    assert {frozenset(check) for check in shown["host"]} == {frozenset({"name", "ok", "says", "check"})}


def test_metrics_on_standard_input_are_read_too(capsys: Capture) -> None:
    assert run(metrics({"assembly": 0.4})) == 1
    assert "assembly, the server's part of it, is 355.0 ms over" in (out := capsys.readouterr().out)
    assert "since when is not told" in out


def test_other_budgets_may_be_given(tmp_path: Path, capsys: Capture) -> None:
    budgets = json.loads((Path(__file__).parents[3] / "shared" / "budgets.json").read_bytes())
    budgets["stages"]["prefill"]["p95_ms"] = 1
    file = tmp_path / "budgets.json"
    file.write_text(json.dumps(budgets), "utf-8")
    assert run(report(reply()), "--json", "--budgets", str(file)) == 1
    assert json.loads(capsys.readouterr().out)["stages"]["prefill"]["excess_ms"] == 39.0
    assert run(report(reply()), "--budgets", str(tmp_path / "none.json")) == 2
    assert "the budgets in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", "standard input is empty"),
        (b"[]", "standard input is not a report exported by the page"),
        (b'{"version": 2, "replies": []}', "a report of version 2; this doctor reads version 1"),
        (b'{"version": 1, "replies": []}', "no reply with a waterfall: send a message, then export again"),
        (
            report(reply(rows=dict.fromkeys(reply()["rows"]), ttft_ms=None, missing=["A clock jumped."])),
            "A clock jumped.",
        ),
        (report(reply(rows={"prefill": -1})), "Expected `float` >= 0"),
        (report(reply(asked_at="yesterday")), "Invalid RFC3339"),
        (b'{"version": 1, "replies": ' + b"[" * 100_000, "not a report"),
        (b"hello", "neither a report"),
        (b"up 1\n", "no figure of First Light"),
        (b"firstlight_running_streams 0\n", "knows of no reply yet"),
        (b"\xff\xfe", "neither a report"),
    ],
)
def test_what_cannot_be_read_exits_with_2_and_one_clear_line(data: bytes, line: str, capsys: Capture) -> None:
    assert run(data) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert line in err


def test_a_missing_file_and_a_server_that_does_not_answer_exit_with_2(tmp_path: Path, capsys: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for source in (str(tmp_path / "none.json"), str(tmp_path), f"http://127.0.0.1:{port}", "http://[", "http://a b"):
        assert main(["doctor", source]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_text_from_a_file_cannot_command_the_terminal(capsys: Capture) -> None:
    run(report(reply(rows={"prefill": 300}, missing=["\x1b[2Jgone\nsecond " + "x" * 500])))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "  1 reply: ?[2Jgone?second xxx" in out


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [*reply(), "usage", "wire", "page", "server", "timeline", "dropped_frames", "prompt_tokens"]
NUMBERS = st.none() | st.floats(0, 1e9) | st.integers(0, 2**60)
MARKS = st.dictionaries(st.sampled_from(["shaped", "tokenised", "queued", "first_token", "read", "painted"]), NUMBERS)


@given(JSON)
def test_any_json_exits_with_0_1_or_2(value: Any) -> None:
    assert run(json.dumps(value).encode()) == 2


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON | MARKS, max_size=4), max_size=4), st.booleans())
def test_a_report_with_anything_in_any_field_exits_with_0_1_or_2(spoilt: list[dict[str, Any]], as_json: bool) -> None:
    replies = [reply(minute) | fields for minute, fields in enumerate(spoilt)]
    assert run(report(*replies), *(["--json"] if as_json else [])) in (0, 1, 2)


@given(st.lists(st.fixed_dictionaries({"rows": st.dictionaries(st.sampled_from(list(reply()["rows"])), NUMBERS)})))
def test_any_rows_exit_with_0_1_or_2(spoilt: list[dict[str, Any]]) -> None:
    assert run(report(*(reply(minute, **fields) for minute, fields in enumerate(spoilt)))) in (0, 1, 2)


@given(st.binary(max_size=60))
def test_any_bytes_are_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(StartError) as refused:
        parse(data, "it")
    assert "\n" not in str(refused.value)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["firstlight_stage_seconds_bucket", "firstlight_page_stage_seconds_count", "vllm:x"]),
            st.sampled_from(
                ['{stage="prefill",le="0.1"}', '{stage="prefill",le="+Inf"}', '{le="x"}', "{le=}", "{", ""]
            ),
            st.sampled_from(["0", "5", "-1", "NaN", "+Inf", "1e400", "x", ""]),
        ),
        max_size=12,
    )
)
def test_any_metrics_exit_with_0_1_or_2(lines: list[tuple[str, str, str]]) -> None:
    more = "\n".join(f"{name}{labels} {value}" for name, labels, value in lines)
    assert run(metrics({"prefill": 0.05}, more=more)) in (0, 1, 2)
