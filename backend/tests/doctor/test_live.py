"""The doctor asks a running server, past a proxy that buffers and without one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from firstlight.__main__ import main
from firstlight.doctor.probe import probe
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from tests.live import ask, live

COUNTS = Reply(script=(Step(text="One two three four five six.", repeat=4),))
SLOW = Scenario(first_ms=400, step_ms=5, replies=(COUNTS,))
QUICK = Scenario(first_ms=2, step_ms=15, replies=(COUNTS,))


async def diagnosis(url: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """Exit code and object of `firstlight doctor URL --json`."""
    code = await asyncio.to_thread(main, ["doctor", url, "--json"])
    # The server of this test logs in the same process, where nothing has told it to log to standard error.
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    return code, json.loads(shown[-1])


async def test_a_slow_engine_is_seen_in_the_servers_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    async with live(SLOW) as server:
        for _ in range(2):
            await ask(server.client, "Hello")
        code, shown = await diagnosis(server.url, capsys)
    assert (code, shown["source"], shown["healthy"], shown["blamed"]) == (1, "metrics", False, "prefill")
    assert shown["stages"]["prefill"]["excess_ms"] > 200


async def test_a_quick_server_is_healthy_and_its_events_come_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    async with live(QUICK) as server:
        await ask(server.client, "Hello")
        _, shown = await diagnosis(server.url, capsys)
    assert shown["ttft"]["over"] is False
    assert {check["name"]: check["ok"] for check in shown["host"]}["stream"] is True


async def test_a_server_without_a_reply_exits_with_2_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    async with live(SLOW, wait=False) as server:
        assert await asyncio.to_thread(main, ["doctor", server.url]) == 2
    assert "knows of no reply yet" in capsys.readouterr().err


async def test_an_address_without_metrics_exits_with_2_and_says_what_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    async with live(QUICK) as server:
        assert await asyncio.to_thread(main, ["doctor", f"{server.url}/elsewhere"]) == 2
    assert "/elsewhere/metrics answered 404: is it First Light" in capsys.readouterr().err


async def test_a_proxy_that_buffers_is_told() -> None:
    async with live(QUICK) as server, _buffering(int(server.url.rpartition(":")[2])) as port:
        through = await asyncio.to_thread(probe, f"http://127.0.0.1:{port}")
    assert through.ok is False, through


@asynccontextmanager
async def _buffering(port: int) -> AsyncIterator[int]:
    """A proxy to `port` that hands an answer on only once it is whole; gives its own port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
        upstream, sink = await asyncio.open_connection("127.0.0.1", port)
        sink.write(head.replace(b"Connection: keep-alive", b"Connection: close") + body)
        writer.write(await upstream.read())
        await writer.drain()
        writer.close()
        sink.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
