"""Our tables beside the article's: measured, in the house's form, and honest about what is not known or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firstlight.bench import main, tables_stages, tables_tokenizer
from firstlight.bench.tables_json import decoders, encoders
from firstlight.bench.tables_stream import CHUNKS, chunks
from firstlight.engine.models import DEFAULT, cache
from firstlight.stages import Stage

SERVERS = [stage for stage in Stage if stage is not Stage.CAPTURE]


def test_one_run_measures_every_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_CACHE", str(tmp_path))
    assert main(["tables", "--quick"]) == 0
    shown = capsys.readouterr().out
    titles = [line for line in shown.splitlines() if line.startswith("#")]
    assert titles == [
        *("## bench tables", "### The seven stages", "### JSON library", "### Compression", "### Chunk size"),
        "### Tokenizer",
    ]
    assert "| prefill | 192 (340 without FlashAttention 2); TTFT 178 to 180 |" in shown
    assert "| routing | not known |" in shown
    assert "Nothing was measured: the small model is not here" in shown


def test_the_servers_stages_are_measured_through_the_whole_route_and_the_page_is_read_where_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "latency.json"
    report.write_text(json.dumps({"bench": "latency", "figures": {"capture_ms_p50": 1.25, "other": 2}}), "utf-8")
    monkeypatch.setattr(tables_stages, "PAGE", report)
    part = tables_stages.measured(quick=True)
    assert {f"{stage}_ms_{stat}" for stage in SERVERS for stat in ("p50", "p95")} | {"page_capture_ms_p50"} == set(
        part.figures
    )
    assert part.figures["page_capture_ms_p50"] == 1.25
    # The demo scenario takes 40 ms to its first token.
    assert part.figures["prefill_ms_p50"] >= 40


@pytest.mark.parametrize("content", [None, "{", "[]", '{"figures": {"capture_ms_p50": "soon"}}', '{"figures": {}}'])
def test_without_a_report_of_the_page_there_are_no_rows_of_it(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "latency.json"
    if content is not None:
        file.write_text(content, "utf-8")
    assert tables_stages.page_rows(file) == {}


def test_all_libraries_write_the_same_event_and_read_the_same_request() -> None:
    assert len({json.dumps(json.loads(job())) for job in encoders().values()}) == 1  # type: ignore[arg-type]
    msgspec_, orjson_, json_ = (job() for job in decoders().values())
    assert orjson_ == json_
    assert len(msgspec_.messages) == len(json_["messages"])  # type: ignore[attr-defined, index]


def test_larger_events_cost_fewer_bytes_a_token() -> None:
    figures = chunks(True).figures
    for kind in ("bytes_per_token", "zstd_bytes_per_token"):
        sizes = [figures[f"chunk_{tokens}_{kind}"] for tokens in CHUNKS]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("length", tables_tokenizer.LENGTHS)
def test_the_text_is_as_long_as_it_says(length: int) -> None:
    assert len(tables_tokenizer.text(length)) == length


@pytest.mark.engine
@pytest.mark.skipif(not (cache() / "models" / f"{DEFAULT.name}-{DEFAULT.revision}").is_dir(), reason="no small model")
def test_longer_prompts_have_more_tokens() -> None:
    figures = tables_tokenizer.measured(quick=True).figures
    tokens = [figures[f"tokenizer_{length}_tokens"] for length in tables_tokenizer.LENGTHS]
    assert tokens == sorted(tokens)
