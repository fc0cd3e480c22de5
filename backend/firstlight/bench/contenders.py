"""The servers that `bench servers` compares, each in a process of its own, embedded in that process's uvloop.

python -m firstlight.bench.contenders NAME PORT
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

import uvloop

from firstlight.connection import PatientSend, bind, connect, serve
from firstlight.errors import ReaderLeft, Refused
from firstlight.settings import Connection

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

LIMITS = Connection(header_timeout_s=2, body_timeout_s=2, send_timeout_s=2)
"""Short, so that the bench need not wait; the contenders get the same where they have such an option."""


async def probe(scope: Any, receive: Receive, send: Send) -> None:
    """A stream whose first chunk comes at once. `/slow` ends after a second, `/endless` never."""
    if scope["type"] != "http":
        return
    while scope["method"] == "POST" and (await receive()).get("more_body"):
        pass
    await _stream(scope["path"], send)


async def guarded(scope: Any, receive: Receive, send: Send) -> None:
    """The probe as our routes are: the body through its arrival, the answer through a patient send."""
    if scope["type"] != "http":
        return
    try:
        if scope["method"] == "POST":
            await connect(scope, receive).body()
        await _stream(scope["path"], PatientSend(scope, send))
    except Refused as refused:
        await send({"type": "http.response.start", "status": refused.status, "headers": []})
        await send({"type": "http.response.body", "body": b""})
    except ReaderLeft:
        pass


async def _stream(path: str, send: Send) -> None:
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"path=" + path.encode(), "more_body": True})
    while path == "/endless":
        await send({"type": "http.response.body", "body": bytes(65_536), "more_body": True})
    if path == "/slow":
        await asyncio.sleep(1)
    await send({"type": "http.response.body", "body": b"end", "more_body": False})


class Floor(asyncio.Protocol):
    """No parser and no application: the least that any answer on this machine costs."""

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer whatever comes; requests of the bench fit one read."""
        self.transport.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npath\r\n")
        self.transport.write(b"3\r\nend\r\n0\r\n\r\n")


async def floor(port: int) -> None:
    """The bare protocol."""
    server = await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", port)
    async with server:
        await _sigterm().wait()


async def firstlight(port: int) -> None:
    """Our protocol on uvicorn and httptools."""
    await serve(guarded, LIMITS, bind(Connection(port=port)))


async def uvicorn(port: int) -> None:
    """uvicorn as it is, with httptools."""
    from uvicorn import Config, Server

    await Server(Config(probe, port=port, http="httptools", log_config=None, access_log=False, ws="none")).serve()


async def granian(port: int) -> None:
    """granian embedded in this loop."""
    from granian.constants import Interfaces
    from granian.http import HTTP1Settings
    from granian.server.embed import Server

    patience = HTTP1Settings(header_read_timeout=round(LIMITS.header_timeout_s * 1_000))
    server = Server(probe, port=port, interface=Interfaces.ASGI, http1_settings=patience, log_enabled=False)
    serving = asyncio.create_task(server.serve())
    await _sigterm().wait()
    server.stop()  # type: ignore[no-untyped-call]
    await serving


async def hypercorn(port: int) -> None:
    """hypercorn embedded in this loop."""
    from hypercorn.asyncio import serve as hypercorn_serve
    from hypercorn.config import Config

    config = Config()
    config.bind, config.errorlog = [f"127.0.0.1:{port}"], None
    config.read_timeout, config.keep_alive_max_requests = round(LIMITS.header_timeout_s), 1_000_000
    await hypercorn_serve(probe, config, shutdown_trigger=_sigterm().wait)


CONTENDERS = {serving.__name__: serving for serving in (floor, firstlight, uvicorn, granian, hypercorn)}
WANTED = {"granian": "2.8.9", "hypercorn": "0.18.0"}
"""Not among the product's dependencies."""


def missing() -> list[str]:
    """The contenders that are not installed."""
    return [name for name in WANTED if find_spec(name) is None]


def _sigterm() -> asyncio.Event:
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, event.set)
    return event


if __name__ == "__main__":
    logging.disable()
    uvloop.run(CONTENDERS[sys.argv[1]](int(sys.argv[2])))
