"""The figures of a whole server, as a scraper reads them."""

from __future__ import annotations

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from firstlight import settings
from firstlight.budgets import ROWS
from firstlight.stages import Stage
from tests.connection.served import raw
from tests.live import QUICK, ask, live


async def scrape(client: httpx.AsyncClient) -> dict[tuple[str, str], float]:
    """Samples by name and the first label's value."""
    text = (await client.get("/metrics")).text
    families = list(text_string_to_metric_families(text))
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in families
        for sample in family.samples
        if family.name.startswith("firstlight_") and not sample.name.endswith("_bucket")
    }


async def test_a_reply_is_counted_in_every_figure_of_the_server() -> None:
    async with live() as server:
        for _ in range(3):
            stream = await ask(server.client, "Hello")
        seen = await scrape(server.anyone)
    usage = stream.end[1]["usage"]
    assert seen["firstlight_requests_total", "stop"] == 3
    for name in ("ttft_seconds", "queue_seconds", "request_header_bytes"):
        assert seen[f"firstlight_{name}_count", ""] == 3, name
    for stage in list(Stage)[1:]:
        assert seen["firstlight_stage_seconds_count", stage] == 3
    whole = sum(seen["firstlight_stage_seconds_sum", stage] for stage in list(Stage)[1:])
    assert whole == pytest.approx(seen["firstlight_ttft_seconds_sum", ""], abs=1e-4)
    assert seen["firstlight_tokens_total", "prompt"] == 3 * usage["prompt_tokens"]
    assert seen["firstlight_tokens_total", "completion"] == 3 * usage["completion_tokens"]
    assert 0 < seen["firstlight_itl_seconds_count", ""] <= 3 * (usage["completion_tokens"] - 1)
    assert [seen["firstlight_stage_over_budget_since_seconds", row] for row in ROWS] == [0] * 8


async def test_a_scraper_that_asks_for_openmetrics_gets_the_reply_that_a_bucket_last_saw() -> None:
    async with live() as server:
        generation = (await ask(server.client, "Hello")).start["generation"]
        response = await server.anyone.get("/metrics", headers={"accept": "application/openmetrics-text"})
    assert response.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert f'# {{generation="{generation}"}}' in response.text
    assert response.text.endswith("# EOF\n")
    assert response.text.count("# EOF") == 1


async def test_what_the_protocol_refuses_is_counted_too_by_type() -> None:
    limits = settings.Connection(port=0, header_timeout_s=0.2, max_header_fields=20)
    async with live(connection=limits) as server:
        port = int(server.url.rpartition(":")[2])
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 30, b"GET / HT"):
            async with raw(port) as client:
                await client.ask(data)
        seen = await scrape(server.anyone)
    types = ("invalid_request", "headers_too_large", "timeout")
    assert [seen["firstlight_requests_total", kind] for kind in types] == [1, 1, 1]


async def test_nothing_that_a_client_sends_makes_another_series() -> None:
    async with live(QUICK) as server:
        before = await scrape(server.anyone)
        for number in range(20):
            await server.client.get(f"/api/generations/{number}")
            await server.client.post("/api/chat", json={f"field-{number}": number})
            await server.anyone.request(f"VERB{number}", f"/{number}")
        await ask(server.client, "Hello")
        assert (await scrape(server.anyone)).keys() == before.keys()
