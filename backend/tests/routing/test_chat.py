"""`POST /api/chat` over a real socket: streams, stops, refusals, readers that leave, many at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from firstlight import settings
from tests.live import HELLO, ask, chat, event, last, live, until

FILES = Path(__file__).parents[3].joinpath("shared/examples/requests").glob("*.json")
EXAMPLES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FILES)}
JSON = {"content-type": "application/json"}


async def test_e01_a_reply_is_streamed_in_order_and_proven_by_its_sha256() -> None:
    async with live() as server:
        stream = await ask(server.client, "Hello")
        assert stream.proven() == HELLO
        assert [name for name, _ in stream.events[:2]] == ["start", "delta"]
        assert stream.start["model"] == "scripted-test"
        assert (stream.start["seq"], stream.deltas[0]["tokens"]) == (0, 1)
        assert stream.end[1]["finish_reason"] == "stop"


async def test_e12_the_streams_headers_keep_caches_and_proxies_from_holding_it() -> None:
    async with live() as server:
        headers = (await ask(server.client, "Hello")).response.headers
        assert {name: headers.get(name) for name in ("content-type", "cache-control", "x-accel-buffering", "vary")} == {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-store",
            "x-accel-buffering": "no",
            "vary": "Accept-Encoding",
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert not {"content-length", "content-encoding", "server", "connection"} & set(headers)


async def test_the_marks_are_in_order_and_complete_once_the_reply_is_done() -> None:
    async with live() as server:
        stream = await ask(server.client, "Hello")
        assert list(stream.start["timing"]) == [
            *("accepted", "headers", "routed", "body", "verified", "bucket", "cleaned", "shaped", "tokenised"),
            *("queued", "started"),
        ]
        assert list(stream.deltas[0]["timing"]) == [
            *(*stream.start["timing"], "scheduled", "first_token", "first_text", "first_byte")
        ]
        assert list(stream.end[1]["timing"]) == [*stream.deltas[0]["timing"], "finished"]
        # The engine works while `start` goes out: that mark alone has no fixed place.
        times = [time for name, time in stream.end[1]["timing"].items() if name != "started"]
        assert times == sorted(times)
        assert all("timing" not in delta for delta in stream.deltas[1:])


async def test_the_first_text_comes_alone_and_then_at_most_eight_tokens_an_event() -> None:
    async with live() as server:
        deltas = (await ask(server.client, "say " + "one two three four five six seven " * 20)).deltas
        assert deltas[0]["tokens"] == 1
        assert max(delta["tokens"] for delta in deltas[1:-1]) >= 8


async def test_e02_headers_and_start_come_before_a_slow_first_token_and_then_heartbeats() -> None:
    async with live(assembly=settings.Assembly(heartbeat_s=0.1)) as server:
        stream = await ask(server.client, "slow start")
        names = [name for name, _ in stream.events]
        assert names[0] == "start"
        assert names[-2:] == ["delta", "done"]
        assert stream.events[1:-2] == [("", "hb")] * len(stream.events[1:-2])
        assert stream.events[1:-2]


async def test_e06_text_that_looks_like_events_stays_text() -> None:
    async with live() as server:
        hostile = "\n\nevent: done\ndata: {}\n\n:hb\r\rid: 1\u2028\ufeff end"
        assert (await ask(server.client, f"say {hostile}")).proven() == f"say {hostile}"


@pytest.mark.parametrize(
    ("accept", "coding"),
    [("zstd", "zstd"), ("gzip, deflate, br, zstd", "zstd"), ("zstd;q=0", None), ("gzip, br", None), ("", None)],
)
async def test_g01_the_stream_is_zstd_only_where_the_client_wants_it(accept: str, coding: str | None) -> None:
    async with live() as server:
        stream = await ask(server.client, "Hello", headers={"accept-encoding": accept})
        assert stream.response.headers.get("content-encoding") == coding
        assert stream.proven() == HELLO


async def test_g01_a_client_that_takes_neither_is_refused_before_the_engine_works() -> None:
    async with live() as server:
        body = {"messages": [{"role": "user", "content": "Hello"}]}
        response = await server.client.post("/api/chat", json=body, headers={"accept-encoding": "identity;q=0"})
        assert (response.status_code, response.json()["type"]) == (406, "not_acceptable")
        assert server.service.registry.running() == 0


async def test_g03_every_zstd_event_heartbeats_included_can_be_read_as_soon_as_it_is_there() -> None:
    async with live(assembly=settings.Assembly(heartbeat_s=0.1)) as server:
        unpack = zstandard.ZstdDecompressor(max_window_size=2**23).decompressobj()
        body = {"messages": [{"role": "user", "content": "slow start"}]}
        names = []
        async with server.client.stream(
            "POST", "/api/chat", json=body, headers={"accept-encoding": "zstd"}
        ) as response:
            async for data in response.aiter_raw():
                blocks = unpack.decompress(data)
                assert blocks.endswith(b"\n\n")
                names += [event(block)[0] for block in blocks[:-2].split(b"\n\n")]
        assert unpack.eof
        assert (names[0], names[1], names[-2:]) == ("start", "", ["delta", "done"])


async def test_e09_a_stopped_reply_ends_with_done_and_frees_the_engine() -> None:
    async with live() as server, chat(server.client, "endless") as stream:
        begun = await until(stream, "delta")
        path = f"/api/generations/{begun.start['generation']}"
        answers = [(await server.client.delete(path)).json() for _ in range(2)]
        assert answers == [{"generation": begun.start["generation"], "state": "stopped"}] * 2
        ended = await last(stream)
        assert ended.end[1]["finish_reason"] == "stopped"
        assert ended.proven()
        assert server.engine.running() == 0


@pytest.mark.parametrize(("message", "retryable"), [("fails", True), ("dies", True)])
async def test_e07_a_reply_that_fails_on_its_way_ends_in_one_error_event(message: str, retryable: bool) -> None:
    async with live() as server:
        stream = await ask(server.client, message)
        assert (stream.end[0], stream.end[1]["retryable"]) == ("error", retryable)
        assert stream.text in ("", "One two", "One")


@pytest.mark.parametrize("accept", ["identity", "zstd"])
async def test_e03_a_reader_that_goes_away_frees_the_engine(accept: str, caplog: pytest.LogCaptureFixture) -> None:
    async with live() as server:
        async with chat(server.client, "endless", headers={"accept-encoding": accept}) as stream:
            await until(stream, "delta")
            assert server.engine.running() == 1
        await engine_idle(server.engine.running)
        await engine_idle(server.service.registry.running)
    assert caplog.records == []


async def test_e05_readers_that_come_and_go_leave_nothing_behind() -> None:
    async with live() as server:
        tasks = len(asyncio.all_tasks())
        for number in range(40):
            coding = {"accept-encoding": "zstd" if number % 2 else "identity"}
            async with chat(server.client, "endless", headers=coding) as stream:
                await until(stream, "delta")
        await engine_idle(server.service.registry.running)
        assert server.engine.running() == 0
        assert len(asyncio.all_tasks()) <= tasks + 1


async def test_e03_a_reader_that_goes_away_before_the_first_token_frees_the_engine() -> None:
    async with live() as server:
        async with chat(server.client, "slow start") as stream:
            await until(stream, "start")
        await engine_idle(server.engine.running)


async def test_fifty_streams_at_once_each_equal_their_script() -> None:
    async with live() as server:
        messages = [f"say {number} " + f"word{number} " * (20 + number) for number in range(50)]
        codings = [{"accept-encoding": "zstd" if number % 2 else "identity"} for number in range(50)]
        clients = [await server.guest() for _ in messages]
        streams = await asyncio.gather(
            *(ask(*pair, headers=coding) for *pair, coding in zip(clients, messages, codings, strict=True))
        )
        await asyncio.gather(*(client.aclose() for client in clients))
        assert [stream.proven() for stream in streams] == messages


async def test_an_empty_bucket_says_how_long_to_wait_in_header_and_body() -> None:
    async with live(admission=settings.Admission(rate=0.5, burst=1)) as server:
        await ask(server.client, "Hello")
        response = await server.client.post("/api/chat", json={"messages": [{"role": "user", "content": "Hello"}]})
        assert (response.status_code, response.json()["type"]) == (429, "rate_limited")
        assert response.headers["retry-after"] == "2"
        assert response.json()["retry_after"] == 2


async def test_the_example_requests_get_the_answers_that_are_written_beside_them() -> None:
    expected, got = {}, {}
    async with live() as server:
        for name, example in EXAMPLES.items():
            body = example["raw"] if "raw" in example else json.dumps(example["body"])
            response = await server.client.post("/api/chat", content=body, headers=JSON)
            answer = response.json() if response.status_code != 200 else {"status": 200}
            expected[name] = example["expect"]
            got[name] = {key: answer.get(key) for key in example["expect"]}
    assert got == expected


async def engine_idle(running: Callable[[], int]) -> None:
    """Wait until nothing runs. Nothing tells when that is, so it is looked for; a busy machine has 5 s for it."""
    async with asyncio.timeout(5):
        while running():
            await asyncio.sleep(0.005)
