"""The real Caddy with the configuration of deploy/ before our server: what it must do, and must leave alone."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard

from firstlight.connection import PatientSend, Stop, bind, serve
from firstlight.errors import ReaderLeft
from firstlight.settings import Connection
from tests.connection.served import TIME

CADDY = Path(sys.executable).parent / "caddy"
CADDYFILE = Path(__file__).parents[3] / "deploy" / "Caddyfile"
EVENTS = [f"event: delta\ndata: {number} café\n\n".encode() for number in range(20)]


class Streamer:
    """Sends each event only once the client has the one before: a proxy that holds anything back stops it for good."""

    def __init__(self) -> None:
        self.received = asyncio.Semaphore(1)
        self.left = asyncio.Event()
        self.peers: list[tuple[str, int]] = []
        self.encodings: list[str] = []

    async def __call__(self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Any]) -> None:
        if scope["type"] != "http":
            return
        self.peers.append(scope["client"])
        self.encodings.append(dict(scope["headers"]).get(b"accept-encoding", b"").decode())
        send = PatientSend(scope, send)
        compressor = zstandard.ZstdCompressor(level=1).compressobj() if scope["path"] == "/zstd" else None
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        headers += [(b"content-encoding", b"zstd")] if compressor else []
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            for event in EVENTS if scope["path"] != "/endless" else iter(lambda: b":hb\n\n", b""):
                await self.received.acquire()
                data = (
                    compressor.compress(event) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
                    if compressor
                    else event
                )
                await send({"type": "http.response.body", "body": data, "more_body": True})
            await send({"type": "http.response.body", "body": compressor.flush() if compressor else b""})
        except ReaderLeft:
            self.left.set()


@asynccontextmanager
async def behind_caddy(folder: Path) -> AsyncIterator[tuple[Streamer, httpx.AsyncClient]]:
    """The streamer behind Caddy, and a client that trusts Caddy's own authority; all inside `folder`, on loopback."""
    settings, stop, app = Connection(port=0), Stop(), Streamer()
    listener = bind(settings)
    with socket.create_server(("127.0.0.1", 0)) as free:
        site = f"https://localhost:{free.getsockname()[1]}"
    environment = os.environ | {
        "CADDY_SITE": site,
        "CADDY_UPSTREAM": f"127.0.0.1:{listener.getsockname()[1]}",
        **dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder)),
    }
    serving = asyncio.create_task(serve(app, settings, listener, stop=stop))
    command = (str(CADDY), "run", "--adapter", "caddyfile", "--config", str(CADDYFILE))
    with (folder / "caddy.log").open("wb") as log:
        caddy = await asyncio.create_subprocess_exec(*command, env=environment, stderr=log)
    try:
        async with httpx.AsyncClient(base_url=site, verify=await _authority(folder, site), timeout=TIME) as client:
            yield app, client
    finally:
        caddy.terminate()
        await caddy.wait()
        stop.ask()
        stop.ask()
        await serving


async def _authority(folder: Path, site: str) -> ssl.SSLContext:
    """Caddy's root certificate, once its server shows one that it signed."""
    root = folder / "caddy/pki/authorities/local/root.crt"
    async with asyncio.timeout(30):
        while True:
            try:
                context = ssl.create_default_context(cafile=str(root))
                port = int(site.rpartition(":")[2])
                _, writer = await asyncio.open_connection("localhost", port, ssl=context)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.transport.abort()
                return context


@pytest.mark.parametrize("coding", ["identity", "zstd"])
async def test_a_stream_passes_the_proxy_chunk_by_chunk_and_byte_by_byte(tmp_path: Path, coding: str) -> None:
    async with behind_caddy(tmp_path) as (app, client):
        unpack = zstandard.ZstdDecompressor().decompressobj()
        request = client.stream("GET", f"/{coding}", headers={"accept-encoding": coding})
        text, arrived = b"", 0
        async with asyncio.timeout(60), request as response:
            assert response.headers.get("content-encoding", "identity") == coding
            assert response.headers["content-type"] == "text/event-stream"
            async for data in response.aiter_raw():
                text += unpack.decompress(data) if coding == "zstd" else data
                while text.count(b"\n\n") > arrived:
                    arrived += 1
                    app.received.release()
        assert text == b"".join(EVENTS)
        assert app.encodings == [coding]


async def test_the_proxy_keeps_its_connection_to_the_server(tmp_path: Path) -> None:
    async with behind_caddy(tmp_path) as (app, client):
        for _ in range(3):
            app.received = asyncio.Semaphore(len(EVENTS))
            answer = await client.get("/identity", headers={"accept-encoding": "identity"})
            assert answer.content == b"".join(EVENTS)
        assert len(set(app.peers)) == 1


async def test_e03_a_reader_that_leaves_the_proxy_leaves_the_server_too(tmp_path: Path) -> None:
    async with behind_caddy(tmp_path) as (app, client):
        async with client.stream("GET", "/endless") as response:
            async for _ in response.aiter_raw():
                break
        async with asyncio.timeout(TIME):
            while not app.left.is_set():
                app.received.release()
                await asyncio.sleep(0.05)
