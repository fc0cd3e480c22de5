"""How the server says that it lives, that it is ready, and what it has done."""

from __future__ import annotations

import asyncio

import msgspec

from firstlight.wire import Ready
from tests.live import QUICK, ask, chat, live, until


async def test_a_ready_server_says_so_and_names_the_model() -> None:
    async with live() as server:
        alive, ready = await server.anyone.get("/livez"), await server.anyone.get("/readyz")
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()) == (200, {"status": "ok", "model": "scripted-test"})


async def test_each_state_before_and_after_ready_is_503_with_its_reason() -> None:
    async with live() as server:
        answers = []
        for state in ("loading", "warming", "draining"):
            server.service.state = state  # type: ignore[assignment]
            answers.append(await server.anyone.get("/readyz"))
        assert (await server.anyone.get("/livez")).status_code == 200
    assert {(answer.status_code, answer.headers["retry-after"]) for answer in answers} == {(503, "2")}
    assert [answer.json() for answer in answers] == [
        {"status": "starting", "reason": "the model is loading"},
        {"status": "starting", "reason": "the first reply is on its way"},
        {"status": "draining", "reason": "the server is shutting down"},
    ]


async def test_h01_an_engine_that_has_died_is_told_by_readyz_while_livez_stays_well() -> None:
    async with live() as server:
        await ask(server.client, "dies")
        ready = await server.anyone.get("/readyz")
        assert (ready.status_code, ready.json()) == (503, {"status": "failed", "reason": "its scenario ended it"})
        assert (await server.anyone.get("/livez")).status_code == 200


async def test_the_metrics_count_requests_by_outcome_and_time_the_first_text() -> None:
    async with live() as server, chat(server.client, "endless") as stream:
        await until(stream, "delta")
        await ask(server.client, "Hello")
        await ask(server.client, "Hello", max_tokens=3)
        await server.client.post("/api/chat", json={})
        response = await server.anyone.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = response.text.splitlines()
    for line in (
        'firstlight_requests_total{outcome="stop"} 1.0',
        'firstlight_requests_total{outcome="length"} 1.0',
        'firstlight_requests_total{outcome="invalid_request"} 1.0',
        "firstlight_ttft_seconds_count 2.0",
        "firstlight_running_streams 1.0",
    ):
        assert line in lines


async def test_the_page_and_health_answer_while_the_engine_still_loads() -> None:
    slow = msgspec.structs.replace(QUICK, start_ms=300)
    async with asyncio.timeout(20), live(slow, wait=False) as server:
        assert (await server.anyone.get("/readyz")).json()["status"] == "starting"
        assert (await server.anyone.get("/livez")).json() == msgspec.to_builtins(Ready("ok"))
