"""`firstlight serve`: a process that serves until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys

import uvloop

from firstlight import connection, logs
from firstlight.app import create_app
from firstlight.engine.build import build
from firstlight.engine.protocol import Engine
from firstlight.errors import StartError
from firstlight.settings import Settings
from firstlight.stages import now


def serve(chosen: Settings) -> None:
    """Serve with these settings until an orderly stop. Raises StartError, also where loading fails later."""
    logs.configure(chosen.logs)
    with connection.bind(chosen.connection) as listener, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(chosen, build(chosen), listener))


async def _serve(chosen: Settings, engine: Engine, listener: socket.socket) -> None:
    began, stop, failures = now(), connection.Stop(), list[StartError]()

    def ready(first_byte_ms: float) -> None:
        # What lives now lives on: later collections need not walk through it while replies are under way.
        gc.collect()
        gc.freeze()
        _say(f"Ready after {now() - began:.1f} s; the warm-up reply began after {first_byte_ms:.0f} ms. Chat at {url}")

    def failed(error: StartError) -> None:
        failures.append(error)
        stop.ask()

    url = _url(listener)
    app = create_app(chosen, engine, ready, failed)
    _say(f"First Light listens on {url} and loads the model.")
    state = app.state
    await connection.serve(
        app, chosen.connection, listener, drain=state.service.drain, stop=stop, refused=state.metrics.refused
    )
    # All is closed: one signal more must not spoil the exit code of a process that is ending anyway.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if failures:
        raise failures[0]


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
