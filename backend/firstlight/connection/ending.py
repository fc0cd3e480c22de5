"""How a connection ends: by refusal, deadline, stalled reader, stop of the server, or because it is idle.

Every wait for the other side is bounded here: for the first byte and the whole head of a request, for the reader of an
answer, for the next request. (The body's deadline is the arrival's.)
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from firstlight.connection.reader import ReaderWatch
from firstlight.connection.refusal import response
from firstlight.errors import Overloaded, Refused, Timeout
from firstlight.settings import Connection
from firstlight.stages import now
from firstlight.wire import ErrorType

HIGH_WATER = 16_384
"""Unsent bytes from which `send` waits, and as many again in the kernel. Few, so that a slow reader is felt at once,
and what it takes shows: a full default buffer of the kernel tells of progress in steps of a megabyte."""

LINGER_S = 2.0
LINGER_BYTES = 1_048_576
"""How long, and for how much, the rest of a refused request is swallowed: closing on unread bytes would reset the
connection and could destroy the answer on its way."""

SPARE_CONNECTIONS = 64
"""Connections above the limit that are told 503; further ones are dropped."""


class State(ServerState):
    """What the connections of one server share."""

    def __init__(self, settings: Connection, max_connections: int, refused: Callable[[ErrorType], None]) -> None:
        super().__init__()
        self.refused = refused
        """Is told the type of each refusal that no handler ever sees."""
        self.settings = settings
        self.max_connections = max_connections
        self.draining = False
        self.quiet = asyncio.Event()
        """Set while there is no connection."""
        self.quiet.set()

    def drain(self) -> None:
        """Close the idle connections, and all others after their present or next answer."""
        self.draining = True
        for connection in list(self.connections):
            connection.shutdown()


class EndingProtocol(HttpToolsProtocol):
    """One connection, as far as its beginning and its end go."""

    def __init__(self, config: Config, state: State, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(config, state, {}, loop)
        self._state = state
        self._limits = state.settings
        self._reader: ReaderWatch
        self._deadline: asyncio.TimerHandle | None = None
        self._accepted = 0.0
        """When the latest request's first byte came, or the connection where none has (`stages.now()`)."""
        self._in_head = False
        """A request has begun whose headers are not whole."""
        self._deaf = False
        """Nothing is parsed any more; what comes is swallowed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count it, and give it `header_timeout_s` to begin a request."""
        stream = cast(asyncio.Transport, transport)
        super().connection_made(stream)
        self._accepted = now()
        self._state.quiet.clear()
        stream.set_write_buffer_limits(high=HIGH_WATER)
        stream.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, HIGH_WATER)
        self._reader = ReaderWatch(self.loop, stream, self._limits.send_timeout_s)
        excess = len(self.connections) - self._state.max_connections
        if excess > SPARE_CONNECTIONS:
            stream.abort()
        elif excess > 0:
            self._refuse(Overloaded("There are too many connections.", retry_after=1))
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of everything that waits for this socket."""
        self._reader.stop()
        self._disarm()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)
        if not self.connections:
            self._state.quiet.set()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless this one is still coming in: then the connection has had its last."""
        if self._deaf:
            return
        if self.cycle.more_body:
            self.close_after_answer()
            return
        super().on_response_complete()
        self._reader.start()

    def close_after_answer(self) -> None:
        """Close once what was written is out."""
        if self.cycle.more_body or self._deaf:
            self._linger()
        else:
            self._close()

    def pause_writing(self) -> None:
        """The reader lags: from now on it must show progress."""
        super().pause_writing()
        self._reader.start()

    def resume_writing(self) -> None:
        """The reader has caught up."""
        super().resume_writing()
        self._reader.stop()

    def shutdown(self) -> None:
        """The server stops: close between requests, else after the answer."""
        if self._answering():
            self.cycle.keep_alive = False
        else:
            self._close()

    def timeout_keep_alive_handler(self) -> None:
        """No further request came."""
        self._close()

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _refuse(self, refused: Refused) -> None:
        """Answer and close. Bytes behind a request that is being answered close the connection after that answer."""
        if self._answering() and not self.cycle.more_body:
            self._deaf = True
            self.cycle.keep_alive = False
            return
        if self._answering():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.abort()
                return
        self._state.refused(refused.type)
        self.transport.write(response(refused, self._accepted))
        self._linger()

    def _linger(self) -> None:
        self._deaf = True
        self._disarm()
        self.flow.resume_reading()
        self.transport.write_eof()
        self._deadline = self.loop.call_later(LINGER_S, self.transport.abort)

    def _close(self) -> None:
        self._disarm()
        self.transport.close()
        self._reader.start()

    def _expect_head(self) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(self._limits.header_timeout_s, self._head_is_late)

    def _head_is_late(self) -> None:
        if self._in_head:
            self._refuse(Timeout(f"The headers were not whole after {self._limits.header_timeout_s:g} s."))
        else:
            self._close()

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
