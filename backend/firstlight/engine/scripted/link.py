"""Where the core runs: `Local` on the serving loop's own timers, `Child` in a process that signals can reach.

Both take commands with `send`. What comes of them goes to `deliver`; if the engine dies, `lost` gets the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Callable

import msgspec

from firstlight.engine.scripted.core import Command, Core, Event
from firstlight.engine.scripted.frames import HEADER, pack
from firstlight.engine.scripted.scenario import Scenario
from firstlight.errors import StartError
from firstlight.stages import now

Deliver = Callable[[list[Event]], None]
Lost = Callable[[str], None]


class Local:
    """The core on the running loop; as exact as its timers, which is a millisecond."""

    pid = None

    def __init__(self, scenario: Scenario, deliver: Deliver, lost: Lost) -> None:
        self._core = Core(scenario)
        self._deliver, self._lost = deliver, lost
        self._timer: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Nothing to wait for."""

    def send(self, command: Command) -> None:
        """Carry out `command`."""
        self._pass_on(self._core.take(command, now()))

    async def close(self) -> None:
        """Stop the clock."""
        if self._timer is not None:
            self._timer.cancel()

    def _advance(self) -> None:
        self._pass_on(self._core.advance(now()))

    def _pass_on(self, events: list[Event]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self._core.due()
        if due is not None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, due - now()), self._advance)
        self._deliver(events)
        if self._core.dead:
            self._lost("its scenario ended it")


class Child:
    """The core in a child process; as exact as `select`, which is a tenth of a millisecond."""

    def __init__(self, scenario: Scenario, deliver: Deliver, lost: Lost) -> None:
        self._scenario = scenario
        self._deliver, self._lost = deliver, lost
        self._ready = asyncio.get_running_loop().create_future()
        self._process: subprocess.Popen[bytes]
        self._reading: asyncio.Task[None]
        self._writer: asyncio.StreamWriter

    @property
    def pid(self) -> int:
        """The process to send signals to."""
        return self._process.pid

    async def open(self) -> None:
        """Start the process and wait until it is ready. Raises StartError if it ends instead."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawn(theirs)
        self._reading = asyncio.create_task(self._read(ours))
        await self._ready

    def send(self, command: Command) -> None:
        """Hand `command` to the process; where it has just died, `lost` is about to say so."""
        if not self._writer.is_closing():
            self._writer.write(pack(command))

    async def close(self) -> None:
        """End the process, whatever state it is in."""
        self._reading.cancel()
        self._process.kill()
        await asyncio.wait([self._reading])
        await asyncio.to_thread(self._process.wait)

    async def _read(self, pipe: socket.socket) -> None:
        reader, self._writer = await asyncio.open_unix_connection(sock=pipe)
        with contextlib.closing(self._writer), contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            self._writer.write(pack(self._scenario))
            await _receive(reader)
            self._ready.set_result(None)
            while True:
                self._deliver(await _receive(reader))
        code = await asyncio.to_thread(self._process.wait)
        reason = f"its process ended by {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
        if self._ready.done():
            self._lost(reason)
        else:
            self._ready.set_exception(StartError(f"the scripted engine did not start: {reason}"))


def _spawn(pipe: socket.socket) -> subprocess.Popen[bytes]:
    # On the calling thread, since the child dies with the thread that made it; and in a session of its own, since a
    # signal to the server's process group is the server's to act on.
    command = [sys.executable, "-m", "firstlight.engine.scripted.child"]
    return subprocess.Popen(command, stdin=pipe.fileno(), start_new_session=True)  # noqa: S603 (our own module)


async def _receive(reader: asyncio.StreamReader) -> list[Event]:
    size = int.from_bytes(await reader.readexactly(HEADER), "big")
    return msgspec.msgpack.decode(await reader.readexactly(size), type=list[Event])
