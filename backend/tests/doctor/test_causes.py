"""Each cause is named by the evidence that points to it, and not named where the data speaks against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.doctor.causes import CAUSES, suspects
from firstlight.doctor.evidence import Evidence
from firstlight.doctor.host import Check
from tests.doctor.synthetic import causes_of, metrics, reply, report

ROOT = Path(__file__).parents[3]
SHAPED = {"accepted": 0, "headers": 0.1, "routed": 0.2, "body": 0.3, "verified": 0.4, "bucket": 0.5, "shaped": 1}


def prefill(tokenised: float = 2, queued: float = 3, scheduled: float = 4, first: float = 300) -> dict[str, Any]:
    marks = {"tokenised": tokenised, "queued": queued, "scheduled": scheduled, "first_token": first}
    return {"rows": {"prefill": first - 1}, "server": {**SHAPED, **marks}}


def used(prompt: int, cached: int) -> dict[str, Any]:
    return {"usage": {"prompt_tokens": prompt, "completion_tokens": 20, "cached_tokens": cached}}


def chunks(sent: list[float], read: list[float]) -> dict[str, Any]:
    return {"timeline": [{"at": at, "read": then, "tokens": 1} for at, then in zip(sent, read, strict=True)]}


PAGE = {"keydown": 0.0, "sent": 2.0, "read": 100.0, "parsed": 101.0, "committed": 102.0, "painted": 110.0}
EVEN = chunks([50, 100, 150, 200], [150, 200, 250, 300])

SUPPORTED: dict[str, tuple[str, bytes]] = {
    "tokenizer": ("prefill", report(reply(**prefill(200, 201, 202, 240)))),
    "queueing": ("prefill", report(reply(**prefill(2, 3, 260, 300)))),
    "cores": ("prefill", report(reply(**prefill(2, 200, 201, 240)))),
    "cold": ("prefill", report(reply(**prefill()), reply(1), reply(2))),
    "prefix-cache-miss": ("prefill", report(reply(**used(300, 0)), reply(1, **prefill(), **used(400, 0)))),
    "long-prompt": ("prefill", report(reply(**prefill(), **used(3_000, 16)))),
    "silent-tokens": ("decode", report(reply(rows={"decode": 120}, timeline=[{"read": 1, "at": 1, "tokens": 5}]))),
    "verification": ("admission", report(reply(rows={"admission": 20}, server=SHAPED | {"verified": 19}))),
    "long-conversation": ("admission", report(reply(rows={"admission": 20}, server={**SHAPED, "shaped": 20}))),
    "not-reused": ("connection", report(reply(rows={"connection": 150}, wire={"reused": False}))),
    "headers": ("connection", report(reply(rows={"connection": 150}, wire={"request_header_bytes": 9_000}))),
    "network": ("connection", report(reply(rows={"connection": 150}, wire={"reused": True}))),
    "upload": ("connection", report(reply(rows={"connection": 150}, server={**SHAPED, "body": 100}))),
    "proxy-buffering": (
        "unaccounted",
        report(reply(rows={"unaccounted": 150}, page=PAGE, **chunks([50, 100, 150, 200], [300, 300, 301, 302]))),
    ),
    "clock": (
        "unaccounted",
        report(reply(rows={"unaccounted": 150}), reply(1, rows={"unaccounted": None}, missing=["A clock jumped."])),
    ),
    "slow-reader": (
        "unaccounted",
        report(reply(rows={"unaccounted": 150}, **chunks([50, 100, 150, 200], [150, 250, 350, 450]))),
    ),
    "token-refresh": ("capture", report(reply(rows={"capture": 60}, missing=["The page signed in again."]))),
    "main-thread": (
        "assembly",
        report(reply(rows={"assembly": 180}, page=PAGE | {"painted": 280.0}, dropped_frames=9)),
    ),
    "hidden-tab": ("capture", report(reply(rows={"capture": 60}, missing=["The page was hidden before it."]))),
}  # fmt: skip


@pytest.mark.parametrize("name", SUPPORTED)
def test_the_evidence_points_to_the_cause(name: str) -> None:
    stage, data = SUPPORTED[name]
    suspect = causes_of(data, stage)[name]
    assert suspect.supported, suspect
    assert suspect.evidence
    assert suspect.check


def test_every_cause_has_a_report_or_is_known_from_the_host_or_the_settings_alone() -> None:
    assert {cause.name for cause in CAUSES} - set(SUPPORTED) == {"eager", "graph-miss", "thp"}


@pytest.mark.parametrize(
    ("name", "stage", "data"),
    [
        ("tokenizer", "prefill", report(reply(**prefill()))),
        ("queueing", "prefill", report(reply(**prefill()))),
        ("eager", "prefill", report(reply(**prefill(200, 201, 202, 240)))),
        ("cold", "prefill", report(reply(**prefill()), reply(1, **prefill()))),
        ("prefix-cache-miss", "prefill", report(reply(**used(300, 0)), reply(1, **prefill(), **used(400, 304)))),
        ("not-reused", "connection", report(reply(rows={"connection": 150}, wire={"reused": True}))),
        ("headers", "connection", report(reply(rows={"connection": 150}, wire={"request_header_bytes": 900}))),
        ("proxy-buffering", "unaccounted", report(reply(rows={"unaccounted": 150}, **EVEN))),
        ("slow-reader", "unaccounted", report(reply(rows={"unaccounted": 150}, **EVEN))),
        ("clock", "unaccounted", report(reply(rows={"unaccounted": 150}))),
        ("network", "connection", report(reply(rows={"connection": 150}, wire={"reused": True}), reply(1))),
        ("token-refresh", "capture", report(reply(), reply(1, rows={"capture": 60}))),
        ("main-thread", "assembly", report(reply(rows={"assembly": 180}, page=PAGE))),
        ("hidden-tab", "assembly", report(reply(rows={"assembly": 180}, page=PAGE))),
        ("silent-tokens", "decode", report(reply(rows={"decode": 120}, timeline=[{"read": 1, "tokens": 1}]))),
    ],
)
def test_a_cause_that_the_data_speaks_against_is_not_named(name: str, stage: str, data: bytes) -> None:
    assert name not in causes_of(data, stage)


@pytest.mark.parametrize("name", ["eager", "graph-miss", "cold", "prefix-cache-miss"])
def test_where_evidence_is_missing_a_cause_is_possible_and_says_what_is_missing(name: str) -> None:
    suspect = causes_of(report(reply(**prefill())), "prefill")[name]
    assert not suspect.supported
    assert suspect.evidence


def test_what_explains_most_comes_first_and_what_is_only_possible_last() -> None:
    found = causes_of(report(reply(**prefill(60, 61, 200, 240))), "prefill")
    assert list(found)[:2] == ["queueing", "tokenizer"]
    assert [suspect.supported for suspect in found.values()] == sorted(
        (suspect.supported for suspect in found.values()), reverse=True
    )


def test_metrics_point_to_queueing_and_to_the_prefix_cache() -> None:
    more = "\n".join(
        [
            'firstlight_queue_seconds_bucket{le="0.3"} 40',
            'firstlight_queue_seconds_bucket{le="+Inf"} 40',
            'vllm:prefix_cache_hits_total{engine="0"} 10',
            'vllm:prefix_cache_queries_total{engine="0"} 1000',
        ]
    )
    found = causes_of(metrics({"prefill": 0.4}, more=more), "prefill")
    assert {name for name, suspect in found.items() if suspect.supported} == {"queueing", "prefix-cache-miss"}
    assert found["queueing"].evidence == "scheduled - queued takes 285.0 ms of 390.0"
    assert not found["tokenizer"].supported
    assert "cold" not in found


def test_the_servers_own_host_points_to_huge_pages_and_cores_and_clears_them() -> None:
    bad = [Check("thp", ok=False, says="never", check=""), Check("cores", ok=False, says="2 cores", check="")]
    short = Evidence("prefill", 200.0, 4, host={check.name: check for check in bad}, is_host=True)
    good = replace(short, host={check.name: replace(check, ok=True) for check in bad})
    assert {"thp", "cores"} <= {suspect.name for suspect in suspects(short) if suspect.supported}
    assert not {"thp", "cores"} & {suspect.name for suspect in suspects(good)}
    assert not {"thp", "cores"} & {
        suspect.name for suspect in suspects(replace(short, is_host=False)) if suspect.supported
    }


@pytest.mark.parametrize("phrase", ["clock jumped", "hidden before", "signed in again"])
def test_the_page_says_it_in_the_words_that_are_looked_for(phrase: str) -> None:
    assert phrase in (ROOT / "frontend" / "src" / "timing" / "missing.ts").read_text("utf-8")


def test_every_cause_is_in_the_page_of_the_doctor() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text("utf-8")
    assert [cause.name for cause in CAUSES if f"`{cause.name}`" not in page] == []
