"""Readers that are slow, stall or leave."""

from __future__ import annotations

import asyncio

from tests.connection.served import GET, TIME, raw, site

ENDLESS = GET.replace(b"/first", b"/endless")


async def test_x6_a_stalled_reader_is_cut_off_and_its_stream_ends() -> None:
    async with site(send_timeout_s=0.6) as app, raw(app.port, receive_buffer=4_096) as client:
        client.stall()
        client.send(ENDLESS)
        await asyncio.wait_for(app.blocked.wait(), TIME)
        before = app.sent
        await asyncio.wait_for(app.left.wait(), TIME)
        assert app.sent == before


async def test_f02_a_slow_but_steady_reader_is_kept() -> None:
    async with site(send_timeout_s=1.0) as app, raw(app.port, receive_buffer=4_096) as client:
        client.send(ENDLESS)
        taken = 0
        while taken < 400_000:
            taken += len(await client.reader.readexactly(8_192))
            await asyncio.sleep(0.05)
        assert app.sent - taken < 200_000, "the server is far ahead of its reader"
        assert not app.left.is_set()


async def test_f02_a_steady_reader_of_one_large_answer_is_kept() -> None:
    async with site(send_timeout_s=0.8) as app, raw(app.port, receive_buffer=4_096) as client:
        client.send(GET.replace(b"/first", b"/large"))
        left = 8_000_000
        while left > 0:
            left -= len(await client.reader.readexactly(min(left, 64_000)))
            await asyncio.sleep(0.02)
        assert not app.closed()


async def test_e03_a_reader_that_leaves_ends_its_stream_at_once() -> None:
    for leave in ("close", "abort"):
        async with site() as app, raw(app.port) as client:
            client.send(ENDLESS)
            await client.reader.readexactly(100)
            getattr(client.writer.transport, leave)()
            await asyncio.wait_for(app.left.wait(), TIME)


async def test_x6_an_answer_that_nobody_takes_does_not_keep_its_connection() -> None:
    async with site(send_timeout_s=0.5) as app, raw(app.port, receive_buffer=4_096) as client:
        client.stall()
        client.send(GET.replace(b"/first", b"/large"))
        async with asyncio.timeout(TIME):
            while not (app.scopes and app.closed()):
                await asyncio.sleep(0.02)
