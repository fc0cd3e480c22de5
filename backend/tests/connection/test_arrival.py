"""A request's way in: its headers, its body, and what is refused on the way."""

from __future__ import annotations

import asyncio
import json

import pytest

from firstlight.connection import connect
from firstlight.errors import UnsupportedMedia
from tests.connection.served import GET, HOST, JSON, raw, site

CHUNKED = JSON + b"Transfer-Encoding: chunked\r\n\r\n"


async def test_headers_body_and_client_arrive_as_they_were_sent() -> None:
    async with site() as app, raw(app.port) as client:
        sent = JSON + b"X-Twice: a\r\nx-twice: b\r\nContent-Length: 7\r\n\r\n" + b'{"a":1}'
        arrived = (await client.ask(sent)).json()
        assert arrived["headers"] == {
            "host": "chat.example",
            "content-type": "application/json",
            "x-twice": "a, b",
            "content-length": "7",
        }
        assert (arrived["body"], arrived["client"]) == ('{"a":1}', "127.0.0.1")


async def test_a_body_in_many_chunks_arrives_whole() -> None:
    async with site() as app, raw(app.port) as client:
        client.send(CHUNKED)
        for _ in range(300):
            client.send(b"3e8\r\n" + b"x" * 1_000 + b"\r\n")
            await asyncio.sleep(0)
        assert len((await client.ask(b"0\r\n\r\n")).json()["body"]) == 300_000


@pytest.mark.parametrize(
    "kind",
    [
        *("text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=utf-16"),
        *("application/json, text/plain", "application/jsonp", "application/json; profile=x"),
    ],
)
async def test_c04_a_body_that_is_not_json_in_utf8_is_415(kind: str) -> None:
    async with site() as app, raw(app.port) as client:
        name = f"Content-Type: {kind}\r\n".encode() if kind else b""
        answer = await client.ask(b"POST / HTTP/1.1\r\n" + HOST + name + b"Content-Length: 2\r\n\r\n{}")
        assert (answer.status, answer.json()["type"]) == (415, "unsupported_media")
        assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    "kind", ["application/json", "APPLICATION/JSON; Charset=UTF-8", 'application/json;charset="utf-8"']
)
async def test_c04_json_in_utf8_is_taken_however_it_is_spelt(kind: str) -> None:
    async with site() as app, raw(app.port) as client:
        head = f"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nContent-Length: 2\r\n\r\n".encode()
        assert (await client.ask(head + b"{}")).status == 200


@pytest.mark.parametrize("coding", [b"gzip", b"zstd", b", ".join([b"gzip"] * 100), b"identity"])
async def test_c05_an_encoded_body_is_415_and_never_decoded(coding: bytes) -> None:
    async with site() as app, raw(app.port) as client:
        answer = await client.ask(JSON + b"Content-Encoding: " + coding + b"\r\nContent-Length: 2\r\n\r\n{}")
        assert answer.status == 415


async def test_c02_an_announced_body_over_the_cap_is_413_before_it_is_read() -> None:
    async with site(max_body_bytes=1_000) as app, raw(app.port) as client:
        answer = await client.ask(JSON + b"Content-Length: 1001\r\n\r\n")
        assert (answer.status, answer.json()["limit"], answer.headers["connection"]) == (413, 1_000, "close")
        assert await client.rest() == b""


async def test_c02_a_chunked_body_is_413_at_the_first_byte_over_the_cap() -> None:
    async with site(max_body_bytes=1_000) as app, raw(app.port) as client, raw(app.port) as other:
        client.send(CHUNKED + b"3e8\r\n" + b"x" * 1_000 + b"\r\n")
        other.send(CHUNKED + b"3e8\r\n" + b"x" * 1_000 + b"\r\n")
        assert (await client.ask(b"1\r\ny")).status == 413
        assert await client.rest() == b""
        assert len((await other.ask(b"0\r\n\r\n")).json()["body"]) == 1_000


@pytest.mark.parametrize("start", [b"Content-Length: 5\r\n\r\n{1,", b"Transfer-Encoding: chunked\r\n\r\n5\r\n{1,"])
async def test_d05_a_body_that_stops_is_408_and_closed(start: bytes) -> None:
    async with site(body_timeout_s=0.3) as app, raw(app.port) as client:
        answer = await client.ask(JSON + start)
        assert (answer.status, answer.json()["type"], answer.headers["connection"]) == (408, "timeout", "close")
        assert await client.rest() == b""


async def test_d05_a_body_that_drips_does_not_extend_the_deadline() -> None:
    async with site(body_timeout_s=0.5) as app, raw(app.port) as client:
        client.send(JSON + b"Content-Length: 1000\r\n\r\n")

        async def drip() -> None:
            while True:
                client.send(b"x")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        answer = await client.answer()
        dripping.cancel()
        assert answer.status == 408


async def test_a_client_that_leaves_in_the_middle_of_its_body_harms_nobody() -> None:
    async with site() as app:
        async with raw(app.port) as client:
            client.send(JSON + b"Content-Length: 5\r\n\r\n{")
            while not app.paths:
                await asyncio.sleep(0.01)
        async with raw(app.port) as other:
            assert (await other.ask(GET)).status == 200


async def test_without_our_server_a_request_arrives_all_the_same() -> None:
    body = json.dumps({"a": 1}).encode()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"headers": [(b"content-type", b"application/json")], "client": None}
    assert await connect(scope, receive).body() == body
    with pytest.raises(UnsupportedMedia):
        await connect({"headers": []}, receive).body()
