"""`GET /api/generations/{id}`: any reader, from anywhere, at any time, has the same text."""

from __future__ import annotations

import asyncio

import pytest

from firstlight import settings
from tests.live import HELLO, ask, chat, last, live, replay, until


async def test_a_finished_reply_is_replayed_the_same_from_every_position() -> None:
    async with live() as server:
        first = await ask(server.client, "Hello")
        generation = first.start["generation"]
        heard = {0: ""} | {delta["seq"]: "" for delta in first.deltas}
        for seq in heard:
            heard[seq] = "".join(delta["text"] for delta in first.deltas if delta["seq"] <= seq)
        for seq, before in heard.items():
            again = await replay(server.client, generation, seq)
            assert before + again.text == HELLO
            assert again.start["generation"] == generation
            assert again.end == first.end


async def test_two_readers_at_once_have_the_same_text_and_end() -> None:
    async with live() as server, chat(server.client, "say " + "word " * 200) as stream:
        begun = await until(stream, "delta")
        other = asyncio.create_task(replay(server.client, begun.start["generation"]))
        assert (await last(stream)).proven() == (await other).proven()


async def test_a_reader_that_comes_back_within_the_grace_time_goes_on_where_it_was() -> None:
    async with live(generations=settings.Generations(grace_s=5)) as server:
        message = "say " + "word " * 200
        async with chat(server.client, message) as stream:
            begun = await until(stream, "delta")
        rest = await replay(server.client, begun.start["generation"], begun.deltas[-1]["seq"])
        assert begun.text + rest.text == message


@pytest.mark.parametrize("after", ["-1", "x", "1.0", "", "9" * 30, "100000", "٣"])
async def test_m03_a_position_that_is_none_is_refused(after: str) -> None:
    async with live() as server:
        generation = (await ask(server.client, "Hello")).start["generation"]
        response = await server.client.get(f"/api/generations/{generation}", params={"from": after})
        assert (response.status_code, response.json()["type"]) == (400, "invalid_request")


async def test_m03_a_reply_that_was_evicted_is_gone() -> None:
    async with live(generations=settings.Generations(max_kept=1)) as server:
        first = await ask(server.client, "Hello")
        await ask(server.client, "Hello")
        response = await server.client.get(f"/api/generations/{first.start['generation']}")
        assert (response.status_code, response.json()["type"]) == (410, "gone")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_k03_another_users_reply_is_as_unknown_as_one_that_never_was(method: str) -> None:
    async with live() as server, await server.guest() as stranger, chat(server.client, "endless") as stream:
        begun = await until(stream, "delta")
        answers = [
            await stranger.request(method, f"/api/generations/{generation}")
            for generation in (begun.start["generation"], "gen-0")
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json() == answers[1].json()
        assert server.engine.running() == 1


async def test_stopping_a_finished_reply_says_that_it_has_finished() -> None:
    async with live() as server:
        generation = (await ask(server.client, "Hello")).start["generation"]
        response = await server.client.delete(f"/api/generations/{generation}")
        assert (response.status_code, response.json()) == (200, {"generation": generation, "state": "finished"})
