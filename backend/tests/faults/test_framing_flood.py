"""X1, D03: floods of headers cost the server nothing that stays."""

from __future__ import annotations

import asyncio

from tests.connection.program import Program, program
from tests.connection.served import GET, raw

FLOOD = 9_600_000


LINES = (b"X: a\r\n", b"X: " + b"a" * 1_000 + b"\r\n", b"X: " + b"a" * FLOOD)


async def test_x1_floods_of_headers_leave_the_servers_memory_flat() -> None:
    async with program() as server:
        for line in LINES * 3:
            await _flood(server, line)
        settled = server.rss()
        for line in LINES * 5:
            await _flood(server, line)
        assert server.rss() - settled < 2 << 20
        async with raw(server.port) as client:
            assert (await client.ask(GET)).status == 200


async def _flood(server: Program, line: bytes) -> None:
    """9.6 MB of `line` on one connection, until the server has had enough."""
    async with raw(server.port) as client:
        client.send(GET[:-2])
        piece = (line * (65_536 // len(line) + 1))[:FLOOD]
        sent = 0
        while sent < FLOOD and not client.writer.transport.is_closing():
            client.send(piece)
            sent += len(piece)
            try:
                await client.writer.drain()
            except ConnectionError:
                break
        answer = await client.rest()
        assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")


async def test_d03_fifty_floods_at_once_are_all_ended() -> None:
    async with program() as server:
        async with asyncio.timeout(60):
            await asyncio.gather(*(_flood(server, b"X: " + b"a" * 50_000 + b"\r\n") for _ in range(50)))
        async with raw(server.port) as client:
            assert (await client.ask(GET)).status == 200
