"""The core in a process of its own. Its standard input is a socket: a scenario comes in first, then commands.

Lists of events go out, the first one empty when it is ready. The process ends when the other end closes; and Linux
kills it with its parent, so that not even a stopped one is left behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys

import msgspec

from firstlight.engine.scripted.core import Command, Core, Event
from firstlight.engine.scripted.frames import Inbox, pack
from firstlight.engine.scripted.scenario import Scenario
from firstlight.stages import now

PR_SET_PDEATHSIG = 1


def serve(pipe: socket.socket) -> bool:
    """Play until the other end closes, or the script ends the engine; true means the latter."""
    inbox, core = Inbox(), None
    commands: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
    while core is None or not core.dead:
        readable, _, _ = select.select([pipe], [], [], _patience(core))
        data = pipe.recv(1 << 16) if readable else b""
        if readable and not data:
            return False
        events: list[Event] = []
        for body in inbox.feed(data):
            if core is None:
                core = Core(msgspec.msgpack.decode(body, type=Scenario))
                pipe.sendall(pack([]))
            else:
                events += core.take(commands.decode(body), now())
        if core is not None:
            events += core.advance(now())
        if events:
            pipe.sendall(pack(events))
    return True


def _patience(core: Core | None) -> float | None:
    """Seconds until the core has something to do by itself; None: nothing as things stand."""
    due = core.due() if core else None
    return None if due is None else max(0.0, due - now())


def main() -> None:
    """Entry of the process. Where the script ends the engine, the process dies as in a crash."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=0) as pipe, contextlib.suppress(ConnectionError):
        if serve(pipe):
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
