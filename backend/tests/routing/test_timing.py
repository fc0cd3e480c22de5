"""What a stream says of its own times: each delta's, the request's size, whether it waits, whether to report."""

from __future__ import annotations

import msgspec

from firstlight import settings
from tests.connection.served import raw
from tests.live import QUICK, ask, chat, live, replay, until


async def test_every_delta_says_when_it_left_also_to_those_who_follow_or_replay() -> None:
    async with live() as server:
        stream = await ask(server.client, "Hello")
        ats = [delta["at"] for delta in stream.deltas]
        assert len(ats) > 2
        assert ats == sorted(ats)
        assert ats[0] == stream.deltas[0]["timing"]["first_byte"]
        again = await replay(server.client, stream.start["generation"])
        assert [delta["at"] for delta in again.deltas] == sorted(delta["at"] for delta in again.deltas)
        assert again.deltas[0]["at"] >= ats[-1]


async def test_the_start_says_what_the_requests_head_took_on_the_wire() -> None:
    body = b'{"messages":[{"role":"user","content":"Hello"}]}'
    async with live() as server, raw(int(server.url.rpartition(":")[2])) as socket:
        head = (
            b"POST /api/chat?a=b HTTP/1.1\r\nHost: chat.example\r\nContent-Type: application/json\r\n"
            b"Accept-Encoding: identity\r\nAuthorization: %b\r\nContent-Length: %d\r\n\r\n"
        ) % (server.client.headers["authorization"].encode(), len(body))
        socket.send(head + body)
        start = await socket.reader.readuntil(b"\n\n")
        assert b'"request_header_bytes":%d' % len(head) in start
        assert len(head) < 1_536


async def test_a_reply_that_waits_for_a_slot_says_so_until_it_runs() -> None:
    one_slot = msgspec.structs.replace(QUICK, slots=1, queue=4)
    async with live(one_slot) as server, chat(server.client, "endless") as first:
        running = await until(first, "start")
        assert "queued" not in running.start
        async with chat(server.client, "Hello") as second:
            waiting = await until(second, "start")
            assert waiting.start["queued"] is True
            await server.client.delete(f"/api/generations/{running.start['generation']}")
            await until(second, "delta")
            assert "queued" not in (await replay(server.client, waiting.start["generation"])).start


async def test_of_the_replies_a_share_is_asked_to_report_always_the_same_ones() -> None:
    async def asked(share: float) -> list[bool]:
        async with live(metrics=settings.Metrics(page_share=share)) as server:
            starts = [(await ask(server.client, "Hi")).start for _ in range(40)]
            again = [(await replay(server.client, start["generation"])).start for start in starts]
            assert [start.get("report") for start in again] == [start.get("report") for start in starts]
            return [start.get("report", False) for start in starts]

    assert await asked(1.0) == [True] * 40
    assert await asked(0.0) == [False] * 40
    assert set(await asked(0.5)) == {True, False}
