"""The zstd bench measures what it says: whole streams, one setting in each process."""

from __future__ import annotations

import json

import pytest

from firstlight.bench import main
from firstlight.bench.zstd import REPLY_TOKENS, events, measure_coder


@pytest.mark.parametrize("tokens", [1, 8])
def test_the_events_hold_one_whole_reply(tokens: int) -> None:
    deltas = [json.loads(event.split(b"data: ")[1]) for event in events(tokens)]
    assert [delta["seq"] for delta in deltas] == list(range(tokens, REPLY_TOKENS + 1, tokens))


def test_identity_neither_saves_nor_costs_anything_to_speak_of() -> None:
    figures = measure_coder("identity", streams=2)
    assert (figures["ratio"], figures["ratio_1"]) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["gzip-6", "zstd-1 w15", "zstd-3 w17"])
def test_each_coding_more_than_halves_the_bytes(name: str) -> None:
    figures = measure_coder(name, streams=2)
    assert figures["ratio"] > 2
    assert figures["ratio_1"] > figures["ratio"]


@pytest.mark.long
def test_g07_the_setting_in_force_stays_within_its_bound_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zstd", "--quick", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bench"] == "zstd"
    assert report["figures"]["kib_per_stream"] <= 200
