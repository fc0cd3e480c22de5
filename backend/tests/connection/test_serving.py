"""From bind to graceful stop."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import time

import pytest

from firstlight.connection import bind, serve
from firstlight.errors import StartError
from firstlight.settings import Connection
from tests.connection.program import program
from tests.connection.served import GET, Site, raw, site

HELD = GET.replace(b"/first", b"/held")


def test_a_taken_port_is_one_line_that_names_it_and_says_how_to_choose_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        began = time.monotonic()
        with pytest.raises(StartError) as caught:
            bind(Connection(port=port))
        assert time.monotonic() - began < 2
        other = port + 1 if port < 65_535 else 8_000
        assert str(caught.value) == (
            f"port {port} on 127.0.0.1 is taken: stop what listens there, "
            f"or choose another, FIRSTLIGHT_CONNECTION__PORT={other}"
        )


def test_a_bound_port_is_taken_for_everybody_else_before_it_serves() -> None:
    with bind(Connection(port=0)) as listener, pytest.raises(StartError):
        bind(Connection(port=listener.getsockname()[1]))


def test_an_address_that_is_not_here_is_named() -> None:
    with pytest.raises(StartError, match=re.escape("cannot listen on 192.0.2.1 port 0 (")) as caught:
        bind(Connection(host="192.0.2.1", port=0))
    assert str(caught.value).endswith(": check FIRSTLIGHT_CONNECTION__HOST")
    with pytest.raises(StartError, match=r"no\.such\.host\.invalid"):
        bind(Connection(host="no.such.host.invalid", port=0))


async def test_an_application_that_fails_to_start_is_a_start_error() -> None:
    async def broken(scope: object, receive: object, send: object) -> None:
        await receive()  # type: ignore[operator]
        await send({"type": "lifespan.startup.failed", "message": ""})  # type: ignore[operator]

    settings = Connection(port=0)
    with bind(settings) as listener, pytest.raises(StartError):
        await serve(broken, settings, listener)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_answers_end_and_the_exit_code_is_0(number: signal.Signals) -> None:
    async with program() as server, raw(server.port) as idle, raw(server.port) as held:
        await idle.ask(GET)
        held.send(HELD)
        await idle.ask(GET)
        server.process.send_signal(number)
        answer = await held.answer()
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert (await held.rest(), await idle.rest()) == (b"", b"")
        assert await server.ended() == (0, "")


async def test_while_it_drains_new_requests_still_reach_the_application_and_close_after_it() -> None:
    async with program("hang") as server, raw(server.port) as old:
        await old.ask(GET)
        server.process.terminate()
        assert await old.rest() == b""
        async with raw(server.port) as new:
            answer = await new.ask(GET)
            assert (answer.status, answer.headers["connection"]) == (200, "close")


async def test_j03_a_second_signal_ends_it_at_once_with_code_0() -> None:
    async with program("hang") as server, raw(server.port) as held:
        held.send(HELD)
        async with raw(server.port) as other:
            await other.ask(GET)
        server.process.terminate()
        await asyncio.sleep(0.3)
        assert server.process.returncode is None
        began = time.monotonic()
        server.process.terminate()
        assert (await server.ended())[0] == 0
        assert time.monotonic() - began < 5
        assert await held.rest() == b""


async def test_j05_two_servers_in_one_process_stop_one_by_one() -> None:
    async with site() as one:
        async with site() as two, raw(two.port) as client:
            assert (await client.ask(GET)).status == 200
        async with raw(one.port) as client:
            assert (await client.ask(GET)).status == 200
        assert (one.paths, two.paths) == (["/first"], ["/first"])


async def test_a_failing_drain_is_not_hidden() -> None:
    async def drain() -> None:
        raise RuntimeError("drain failed")

    settings = Connection(port=0)
    app = Site()
    app.stop.ask()
    with bind(settings) as listener, pytest.raises(RuntimeError, match="drain failed"):
        await serve(app, settings, listener, drain=drain, stop=app.stop)
