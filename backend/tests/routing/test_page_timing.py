"""`POST /api/generations/{id}/timing`: what a page saw becomes figures, once, and only of its own replies."""

from __future__ import annotations

from typing import Any

import pytest

from firstlight import settings
from firstlight.budgets import ROWS
from firstlight.metrics.watch import LEAST
from tests.live import Live, ask, live
from tests.metrics.test_metrics import scrape

TIMING: dict[str, Any] = {
    "rows": dict.fromkeys(ROWS, 1_000.0),
    "ttft": 8_000.0,
    "itl_p50": 25,
    "itl_p95": 31.5,
    "paint_p95": 14,
    "reused": True,
    "protocol": "http/1.1",
}


async def reply(server: Live) -> str:
    """The address for the timing of a fresh reply."""
    return f"/api/generations/{(await ask(server.client, 'Hello')).start['generation']}/timing"


async def test_a_timing_is_counted_once_however_often_it_is_sent() -> None:
    async with live() as server:
        address = await reply(server)
        answers = [await server.client.post(address, json=TIMING) for _ in range(3)]
        seen = await scrape(server.anyone)
        text = (await server.anyone.get("/metrics")).text
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 3
    assert [seen["firstlight_page_stage_seconds_sum", row] for row in ROWS] == [1.0] * 8
    assert 'firstlight_page_reports_total{protocol="http/1.1",reused="yes"} 1.0' in text.splitlines()
    for name, value in (("ttft", 8), ("itl_p50", 0.025), ("itl_p95", 0.0315), ("paint_p95", 0.014)):
        assert seen[f"firstlight_page_{name}_seconds_count", ""] == 1
        assert seen[f"firstlight_page_{name}_seconds_sum", ""] == value


async def test_a_page_that_has_told_is_not_asked_again() -> None:
    async with live() as server:
        address = await reply(server)
        await server.client.post(address, json=TIMING)
        async with server.client.stream("GET", address.removesuffix("/timing")) as response:
            assert b'"report":true' not in await response.aread()


async def test_another_users_reply_is_404_and_without_a_token_it_is_401() -> None:
    async with live() as server:
        address = await reply(server)
        async with await server.guest() as other:
            assert (await other.post(address, json=TIMING)).status_code == 404
        assert (await server.anyone.post(address, json=TIMING)).status_code == 401
        assert (await server.client.post("/api/generations/gen-1/timing", json=TIMING)).status_code == 404
        assert (await scrape(server.anyone))["firstlight_page_ttft_seconds_count", ""] == 0


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"rows": {}, "ttft": 0.5}, 400, "/ttft"),
        (TIMING | {"ttft": 9_000}, 400, "/rows"),
        (TIMING | {"rows": {"capture": -1}}, 400, "/rows/capture"),
        (TIMING | {"rows": {"sleep": 1}}, 400, "/rows/sleep"),
        ({"rows": {}, "ttft": 8_000, "protocol": "x" * 5_000}, 413, None),
        ([], 400, ""),
    ],
)
async def test_what_does_not_hold_is_refused_with_its_field_and_a_true_one_still_counts(
    body: object, status: int, field: str | None
) -> None:
    async with live() as server:
        address = await reply(server)
        answer = await server.client.post(address, json=body)
        assert (answer.status_code, answer.json().get("field")) == (status, field)
        assert (await server.client.post(address, json=TIMING)).status_code == 204
        assert (await scrape(server.anyone))["firstlight_page_ttft_seconds_count", ""] == 1


async def test_telling_takes_nothing_from_the_bucket() -> None:
    async with live(admission=settings.Admission(rate=0.001, burst=1)) as server:
        address = await reply(server)
        assert [(await server.client.post(address, json=TIMING)).status_code for _ in range(20)] == [204] * 20


async def test_rows_over_their_budget_are_seen_in_the_gauge() -> None:
    async with live() as server:
        for _ in range(LEAST):
            await server.client.post(await reply(server), json=TIMING)
        seen = await scrape(server.anyone)
    over = [row for row in ROWS if seen["firstlight_stage_over_budget_since_seconds", row] > 0]
    assert {"capture", "connection", "assembly", "unaccounted"} <= set(over)
