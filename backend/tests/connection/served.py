"""A tiny application behind our server on a real socket, and a client that writes raw bytes."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from firstlight.connection import PatientSend, Stop, bind, connect, serve
from firstlight.connection.link import link_of
from firstlight.errors import ReaderLeft, Refused
from firstlight.settings import Connection

HOST = b"Host: chat.example\r\n"
GET = b"GET /first HTTP/1.1\r\n" + HOST + b"\r\n"
JSON = b"POST /first HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"

TIME = 10.0
"""Seconds that anything may take on a busy machine before a test fails."""


@dataclass
class Site:
    """The application: answers with its path, body, headers and marks; what it saw is kept."""

    port: int = 0
    stop: Stop = field(default_factory=Stop)
    paths: list[str] = field(default_factory=list)
    scopes: list[dict[str, Any]] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    blocked: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int = 0

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        if scope["type"] == "http":
            await self._respond(scope, receive, send)

    async def _respond(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        self.paths.append(scope["path"])
        self.scopes.append(scope)
        arrival = connect(scope, receive)
        try:
            body = await arrival.body() if scope["method"] == "POST" and scope["path"] != "/unread" else b""
        except Refused as refused:
            await _answer(send, refused.status, {"type": refused.type, "limit": refused.limit})
            return
        if scope["path"] == "/endless":
            await self._endless(PatientSend(scope, send))
            return
        if scope["path"] == "/large":
            await _answer(send, 200, "x" * 8_000_000)
            return
        if scope["path"] == "/held":
            await self.release.wait()
        marks = msgspec.to_builtins(arrival.timeline.marks)
        shown = {"path": scope["path"], "body": body.decode("latin-1"), "headers": dict(arrival.headers)}
        await _answer(send, 200, shown | {"client": arrival.client, "marks": marks})

    async def _endless(self, send: PatientSend) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                watch = asyncio.get_running_loop().call_later(0.3, self.blocked.set)
                await send({"type": "http.response.body", "body": bytes(8_192), "more_body": True})
                watch.cancel()
                self.sent += 8_192
                await asyncio.sleep(0)
        except ReaderLeft:
            self.left.set()

    def closed(self) -> bool:
        """Whether the latest request's socket is."""
        transport = link_of(self.scopes[-1]).transport
        assert transport is not None
        return transport.is_closing()

    def nodelay(self) -> int:
        """TCP_NODELAY of the latest request's socket."""
        transport = link_of(self.scopes[-1]).transport
        assert transport is not None
        option: int = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        return option


async def _answer(send: Callable[[Any], Any], status: int, content: object) -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def site(**limits: Any) -> AsyncIterator[Site]:
    """The application, served; nothing of it is left at the end."""
    settings = Connection(port=0, **limits)
    listener = bind(settings)
    app = Site(port=listener.getsockname()[1])
    serving = asyncio.create_task(serve(app, settings, listener, stop=app.stop))
    try:
        yield app
    finally:
        app.stop.ask()
        app.stop.ask()
        await asyncio.wait_for(serving, TIME)


@dataclass
class Answer:
    """One response as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Raw:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def stall(self) -> None:
        """Read nothing any more."""
        cast(asyncio.Transport, self.writer.transport).pause_reading()

    async def answer(self) -> Answer:
        """The next response, which must have a length."""
        async with asyncio.timeout(TIME):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.split(": ", 1) for line in head[1:-2])
            body = await self.reader.readexactly(int(headers["content-length"]))
        return Answer(int(head[0].split()[1]), headers, body)

    async def rest(self, patience: float = TIME) -> bytes:
        """All that comes until the server closes, by an end or by a reset."""
        async with asyncio.timeout(patience):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""

    async def ask(self, data: bytes) -> Answer:
        self.send(data)
        return await self.answer()


@asynccontextmanager
async def raw(port: int, *, receive_buffer: int = 0) -> AsyncIterator[Raw]:
    """A connection to loopback `port`; a small `receive_buffer` makes the kernel take little ahead of the reader."""
    with socket.socket() as connection:
        connection.setblocking(False)
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=connection, limit=1_024 if receive_buffer else 1 << 20)
        try:
            yield Raw(reader, writer)
        finally:
            writer.transport.abort()
