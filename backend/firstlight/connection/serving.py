"""Running an ASGI application on a socket, from bind to graceful stop."""

from __future__ import annotations

import asyncio
import errno
import resource
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from uvicorn.config import Config

from firstlight.connection.ending import State
from firstlight.connection.protocol import ConnectionProtocol
from firstlight.errors import StartError
from firstlight.settings import Connection
from firstlight.wire import ErrorType

App = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI 3 application."""

BACKLOG = 2_048
OTHER_FILES = 256
"""Open files kept for everything that is not a connection."""

LAST_WORDS_S = 1.0
"""How long a stop that must not wait still lets answers end by themselves."""


class Stop:
    """A wish to stop: `ask` once to let answers end, once more to end now. Signals ask it too."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.urgent = asyncio.Event()

    def ask(self) -> None:
        """Ask once more."""
        (self.urgent if self.asked.is_set() else self.asked).set()


async def nothing() -> None:
    """Drain of an application that has nothing to end."""


def ignore(_: ErrorType) -> None:
    """Nobody counts refusals."""


def bind(settings: Connection) -> socket.socket:
    """The listening socket. To be called first of all, so that a taken port stops the start within milliseconds.

    Raises StartError with one line that says what to choose instead.
    """
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        other = f"FIRSTLIGHT_CONNECTION__PORT={port + 1 if 1_024 <= port < 65_535 else 8_000}"
        reasons = {
            errno.EADDRINUSE: f"port {port} on {host} is taken: stop what listens there, or choose another, {other}",
            errno.EACCES: f"port {port} on {host} is not allowed for this user: choose another, {other}",
        }
        fallback = f"cannot listen on {host} port {port} ({error.strerror}): check FIRSTLIGHT_CONNECTION__HOST"
        raise StartError(reasons.get(error.errno or 0, fallback)) from error


async def serve(
    app: App,
    settings: Connection,
    listener: socket.socket,
    *,
    drain: Callable[[], Awaitable[None]] = nothing,
    stop: Stop | None = None,
    refused: Callable[[ErrorType], None] = ignore,
) -> None:
    """Serve `app` on `listener` in the running loop, until SIGTERM, SIGINT or `stop`; returns when all is closed.

    Asked once: `drain` is awaited while the socket still listens, so that the application can say that it drains; then
    the socket closes, and the answers under way end. Asked twice: `drain` is cancelled, and what has not ended after
    a second is cut off. Asked more often, it ends no sooner: each of these waits has its end, and what the application
    closes must be closed. `refused` is told the type of each refusal that `app` never sees. Raises StartError where
    the application's own start-up fails.
    """
    stop = stop or Stop()
    with _signals(asyncio.get_running_loop(), stop):
        config = _config(app, settings)
        lifespan = config.lifespan_class(config)
        await lifespan.startup()
        if lifespan.should_exit:
            raise StartError("the application did not start: its own message stands above")
        state = State(settings, _connections_allowed(settings.max_connections), refused)
        try:
            await _listen(config, state, listener, drain, stop)
        finally:
            await _cut_off(state)
            await lifespan.shutdown()


async def _listen(
    config: Config, state: State, listener: socket.socket, drain: Callable[[], Awaitable[None]], stop: Stop
) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: ConnectionProtocol(config, state, loop), sock=listener, backlog=BACKLOG)
    try:
        await stop.asked.wait()
        state.drain()
        await _unless(stop.urgent, drain())
    finally:
        server.close()
    state.drain()
    await _unless(stop.urgent, state.quiet.wait())


def _config(app: App, settings: Connection) -> Config:
    config = Config(
        app,
        http=ConnectionProtocol,
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=settings.keep_alive_s,  # type: ignore[arg-type]  # only ever handed to call_later
    )
    config.load()
    return config


def _connections_allowed(wanted: int) -> int:
    """How many of `wanted` connections the process may hold, its limit of open files raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = wanted + OTHER_FILES if hard == resource.RLIM_INFINITY else min(wanted + OTHER_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(1, min(wanted, files - OTHER_FILES))


@contextmanager
def _signals(loop: asyncio.AbstractEventLoop, stop: Stop) -> Iterator[None]:
    """SIGTERM and SIGINT ask to stop; in the main thread only, as Python has it."""
    signals = (signal.SIGTERM, signal.SIGINT) if threading.current_thread() is threading.main_thread() else ()
    for number in signals:
        loop.add_signal_handler(number, stop.ask)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def _unless(urgent: asyncio.Event, work: Awaitable[object]) -> None:
    """Wait for `work`; once `urgent` is set it is cancelled, and has a second for its own end."""
    task = asyncio.ensure_future(work)
    haste = asyncio.ensure_future(urgent.wait())
    try:
        await asyncio.wait((task, haste), return_when=asyncio.FIRST_COMPLETED)
    finally:
        haste.cancel()
        task.cancel()
    await asyncio.wait((task,), timeout=LAST_WORDS_S)
    if task.done() and not task.cancelled():
        task.result()


async def _cut_off(state: State) -> None:
    """Wait a last second, then end what has not ended by itself: sockets first, then whoever still works for them."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS_S):
            await state.quiet.wait()
    for connection in list(state.connections):
        connection.transport.abort()
    if state.tasks:
        await asyncio.wait(state.tasks, timeout=LAST_WORDS_S)
    for task in list(state.tasks):
        task.cancel()
