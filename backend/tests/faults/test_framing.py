"""X14, D01, D02: hostile framings on a real socket are refused and closed, and what hides behind them never runs."""

from __future__ import annotations

import asyncio
import json

import pytest

from firstlight.bench.framings import FRAMINGS, HOST, POST, SMUGGLED, attempt
from tests.connection.served import raw, site


@pytest.mark.parametrize("name", FRAMINGS)
async def test_x14_a_hostile_framing_is_refused_and_what_hides_behind_it_never_runs(name: str) -> None:
    async with site() as app:
        outcome = await asyncio.to_thread(attempt, app.port, FRAMINGS[name], 10.0)
        status = 431 if name in ("101 fields", "65 KiB of fields") else 400
        assert (outcome.statuses, outcome.hidden_ran, outcome.closed) == ((status,), False, True)
        assert "/smuggled" not in app.paths


@pytest.mark.parametrize("name", FRAMINGS)
async def test_d01_a_framing_that_comes_byte_by_byte_fares_no_better(name: str) -> None:
    framing = FRAMINGS[name]
    async with site() as app, raw(app.port) as client:
        for start in range(0, min(len(framing), 2_000), 7):
            client.send(framing[start : start + 7])
            await asyncio.sleep(0)
        client.send(framing[2_000:] + SMUGGLED)
        answer = await client.rest()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.split()[1] in (b"400", b"431")
        assert json.loads(body)["status"] == int(head.split()[1])
        assert b"content-type: application/problem+json" in head.split(b"\r\n")
        assert "/smuggled" not in app.paths


async def test_the_good_framings_pass_and_their_connection_is_kept() -> None:
    good = [
        b"GET /get HTTP/1.1\r\n" + HOST + b"\r\n",
        POST + b"Content-Length: 2\r\n\r\n{}",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: Chunked\r\n\r\n1;x=y\r\n{\r\n1\r\n}\r\n0\r\nT: trailer\r\n\r\n",
        b"\r\nGET /blank-line-first HTTP/1.1\r\n" + HOST + b"\r\n",
        b"HEAD /head HTTP/1.1\r\nhOsT:chat.example:8000\r\n\r\n",
    ]
    async with site() as app, raw(app.port) as client:
        for request in good[:-1]:
            assert (await client.ask(request)).status == 200
        client.send(good[-1])
        assert (await client.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        assert app.paths == ["/get", "/first", "/first", "/first", "/blank-line-first", "/head"]
