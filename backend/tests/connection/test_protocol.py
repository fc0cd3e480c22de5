"""The protocol on real sockets: marks, deadlines, limits, and connections that end."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from firstlight.connection.ending import SPARE_CONNECTIONS
from tests.connection.served import GET, HOST, JSON, Raw, raw, site

BODY = JSON + b"Content-Length: 2\r\n\r\n"


async def test_the_marks_count_from_a_requests_first_byte_also_on_a_kept_connection() -> None:
    async with site() as app, raw(app.port) as client:
        for _ in range(2):
            client.send(GET[:20])
            await asyncio.sleep(0.2)
            marks = (await client.ask(GET[20:])).json()["marks"]
            assert list(marks) == ["accepted", "headers", "routed"]
            assert marks["accepted"] == 0
            assert 150 < marks["headers"] < 5_000
            await asyncio.sleep(0.1)
        assert (await client.ask(GET)).json()["marks"]["headers"] < 250


async def test_the_mark_body_comes_with_the_bodys_last_byte() -> None:
    async with site() as app, raw(app.port) as client:
        client.send(BODY + b"{")
        await asyncio.sleep(0.2)
        marks = (await client.ask(b"}")).json()["marks"]
        assert marks["headers"] < marks["body"]
        assert 150 < marks["body"] < 5_000


async def test_small_writes_are_not_held_back_and_no_server_is_named() -> None:
    async with site() as app, raw(app.port) as client:
        answer = await client.ask(GET)
        assert answer.headers == {"content-length": answer.headers["content-length"]}
        assert app.nodelay() == 1


async def test_x2_half_sent_header_is_closed() -> None:
    async with site(header_timeout_s=0.3) as app, raw(app.port) as client:
        answer = await client.ask(GET[:-2] + b"X: half")
        assert (answer.status, answer.headers["connection"]) == (408, "close")
        assert await client.rest() == b""
        assert app.paths == []


async def test_d04_one_header_byte_at_a_time_does_not_extend_the_deadline() -> None:
    async with site(header_timeout_s=0.5) as app, raw(app.port) as client:
        client.send(GET[:-2] + b"X: ")

        async def drip() -> None:
            while True:
                client.send(b"x")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        answer = await client.answer()
        dripping.cancel()
        assert answer.status == 408


async def test_the_header_deadline_ends_with_the_headers() -> None:
    async with site(header_timeout_s=0.5) as app, raw(app.port) as client:
        held = GET.replace(b"/first", b"/held")
        client.send(held[:20])
        await asyncio.sleep(0.1)
        client.send(held[20:])
        await asyncio.sleep(1.0)
        app.release.set()
        assert (await client.answer()).status == 200


async def test_the_header_deadline_begins_with_the_first_byte() -> None:
    async with site(header_timeout_s=1.5) as app, raw(app.port) as client:
        for piece in (GET[:20], GET[20:]):
            await asyncio.sleep(0.9)
            client.send(piece)
        assert (await client.answer()).status == 200


async def test_d06_a_connection_that_never_sends_is_closed() -> None:
    async with site(header_timeout_s=0.3) as app, raw(app.port) as client:
        assert await client.rest() == b""


async def test_d06_blank_lines_do_not_keep_a_connection_open() -> None:
    async with site(header_timeout_s=0.4) as app, raw(app.port) as client:
        await client.ask(GET)
        ends = asyncio.create_task(client.rest())
        while not ends.done():
            client.send(b"\r\n")
            await asyncio.sleep(0.05)
        assert await ends == b""


async def test_a_kept_connection_outlives_the_header_deadline_and_ends_after_its_own() -> None:
    async with site(header_timeout_s=0.2, keep_alive_s=1.0) as app, raw(app.port) as client:
        await client.ask(GET)
        await asyncio.sleep(0.6)
        await client.ask(GET)
        assert await client.rest() == b""
        assert app.paths == ["/first", "/first"]


async def test_d03_a_head_over_either_limit_is_431_and_closed() -> None:
    async with site(max_header_bytes=4_096, max_header_fields=20) as app:
        for fields in (b"X: " + b"a" * 4_096 + b"\r\n", b"X: a\r\n" * 20, b"X: " + b"a" * 700_000):
            async with raw(app.port) as client:
                answer = await client.ask(GET[:-2] + fields + b"\r\n")
                assert (answer.status, answer.json()["type"]) == (431, "headers_too_large")
                assert answer.headers["content-type"] == "application/problem+json"
                assert await client.rest() == b""
        assert app.paths == []


async def test_d03_a_head_that_is_not_whole_is_refused_once_it_cannot_pass_any_more() -> None:
    async with site(max_header_bytes=4_096, max_header_fields=20) as app:
        for fields in (b"X: a\r\n" * 21, b"X: " + b"a" * 4_096 + b"\r\nY:", b"X: " + b"a" * 9_000):
            async with raw(app.port) as client:
                assert (await client.ask(GET[:-2] + fields)).status == 431
        assert app.paths == []


async def test_d03_trailers_and_chunk_extensions_without_end_are_cut_off() -> None:
    chunked = JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
    async with site(max_header_bytes=4_096) as app:
        for flood in (b"0\r\nX: " + b"a" * 900_000, b"0\r\n" + b"X: a\r\n" * 150_000, b"1;" + b"x" * 900_000):
            async with raw(app.port) as client:
                assert (await client.ask(chunked + flood)).status == 431


async def test_trailers_never_pass_for_headers() -> None:
    async with site() as app, raw(app.port) as client:
        trailers = b"0\r\nAuthorization: Bearer x\r\n\r\n"
        answer = await client.ask(JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + trailers)
        assert answer.json()["headers"] == {
            "host": "chat.example",
            "content-type": "application/json",
            "transfer-encoding": "chunked",
        }
        assert b"authorization" not in dict(app.scopes[0]["headers"])


async def test_a_request_behind_one_that_is_not_answered_is_never_run() -> None:
    async with site() as app, raw(app.port) as client:
        hidden = GET.replace(b"/first", b"/hidden")
        client.send(GET.replace(b"/first", b"/held") + hidden)
        while app.paths != ["/held"]:
            await asyncio.sleep(0.01)
        client.send(hidden)
        app.release.set()
        answer = await client.answer()
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert await client.rest() == b""
        assert app.paths == ["/held"]


async def test_i07_connections_over_the_limit_are_told_503_and_the_others_go_on() -> None:
    async with site(max_connections=2) as app, raw(app.port) as one, raw(app.port) as two:
        assert [(await client.ask(GET)).status for client in (one, two)] == [200, 200]
        async with raw(app.port) as three:
            answer = await three.answer()
            assert (answer.status, answer.headers["retry-after"], answer.json()["type"]) == (503, "1", "overloaded")
            assert await three.rest() == b""
        assert (await one.ask(GET)).status == 200
        two.writer.close()
        assert await _eventually_200(app.port) == 200


async def test_i07_connections_far_over_the_limit_are_dropped() -> None:
    async with site(max_connections=1) as app, AsyncExitStack() as clients:
        crowd = [await clients.enter_async_context(raw(app.port)) for _ in range(80)]
        answers = [await client.rest() for client in crowd[1:]]
        assert sum(answer.startswith(b"HTTP/1.1 503 ") for answer in answers) == SPARE_CONNECTIONS
        assert answers.count(b"") == 79 - SPARE_CONNECTIONS
        assert (await crowd[0].ask(GET)).status == 200


async def _eventually_200(port: int) -> int:
    for _ in range(100):
        async with raw(port) as client:
            if (status := (await client.ask(GET)).status) == 200:
                return status
        await asyncio.sleep(0.05)
    return status


async def test_an_answer_that_does_not_wait_for_the_body_is_the_connections_last() -> None:
    async with site() as app, raw(app.port) as client:
        unread = JSON.replace(b"/first", b"/unread") + b"Content-Length: 100000\r\n\r\n"
        assert (await client.ask(unread + b"x" * 1_000)).status == 200
        assert await client.rest() == b""


async def test_c02_a_client_that_is_still_sending_receives_its_refusal_whole() -> None:
    async with site(max_body_bytes=1_000) as app, raw(app.port) as client:
        client.send(JSON + b"Content-Length: 900000\r\n\r\n")
        for _ in range(9):
            client.send(b"x" * 100_000)
            await asyncio.sleep(0.01)
        assert (await client.answer()).status == 413
        assert await client.rest() == b""


@pytest.mark.parametrize("method", [b"GET", b"POST"])
async def test_an_upgrade_is_ignored_and_its_connection_closes_unless_a_body_hides_behind_it(method: bytes) -> None:
    async with site() as app, raw(app.port) as client:
        length = b"Content-Length: 2\r\n" if method == b"POST" else b""
        head = method + b" /first HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: h2c\r\n" + length + b"\r\n"
        answer = await client.ask(head)
        assert (answer.status, answer.headers["connection"]) == (400 if length else 200, "close")
        client.send(GET.replace(b"/first", b"/hidden"))
        assert await client.rest() == b""
        assert "/hidden" not in app.paths


async def test_garbage_in_the_body_of_a_request_ends_it_with_400() -> None:
    async with site() as app, raw(app.port) as client:
        client.send(JSON + b"Transfer-Encoding: chunked\r\n\r\n")
        await _until_running(app.paths)
        assert (await client.ask(b"zz\r\n")).status == 400
        assert await client.rest() == b""


async def _until_running(paths: list[str]) -> None:
    while not paths:
        await asyncio.sleep(0.01)


async def test_a_client_that_waits_for_100_continue_gets_it_or_its_refusal() -> None:
    async with site() as app, raw(app.port) as client:
        client.send(JSON + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert await _line(client) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert (await client.ask(b"{}")).json()["body"] == "{}"
        refused = JSON + b"Expect: 100-continue\r\nContent-Length: 999999999\r\n\r\n"
        assert (await client.ask(refused)).status == 413


async def _line(client: Raw) -> bytes:
    return await client.reader.readuntil(b"\r\n\r\n")
