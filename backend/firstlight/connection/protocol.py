"""uvicorn's HTTP/1.1 protocol with the marks and limits that it lacks.

One request at a time: whatever a client sends behind a request that is not answered yet is dropped unparsed, and the
connection closes after that answer. So nothing smuggled behind a request is ever run.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast

from uvicorn.config import Config

from firstlight.connection.ending import LINGER_BYTES, EndingProtocol, State
from firstlight.connection.head import check_form, check_size, section_bytes, too_many_bytes
from firstlight.connection.link import EXTENSION, Link
from firstlight.errors import InvalidRequest, Refused
from firstlight.stages import Timeline, now

_LINES = len("  HTTP/1.1\r\n\r\n")
"""Bytes of a head beside its method, target and fields."""


class Outlet:
    """The transport as an answer sees it: closing it is the protocol's business."""

    def __init__(self, protocol: EndingProtocol, transport: asyncio.Transport) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = protocol.close_after_answer


class ConnectionProtocol(EndingProtocol):
    """One connection."""

    def __init__(self, config: Config, state: State, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(config, state, loop)
        self._read_at = 0.0
        self._barren = 0
        """Bytes read since the parser last came to something: a whole head, or part of a body."""
        self._swallowed = 0

    def data_received(self, data: bytes) -> None:
        """Parse, as long as this connection is listened to."""
        if self._deaf:
            self._swallow(len(data))
            return
        self._read_at = now()
        self._barren += len(data)
        super().data_received(data)
        self._bound_waiting()

    def on_message_begin(self) -> None:
        """A request's first byte."""
        if self._answering():
            raise InvalidRequest("One request at a time.")
        super().on_message_begin()
        self._accepted = self._read_at
        self._in_head = True
        self._disarm()

    def on_headers_complete(self) -> None:
        """Check what llhttp lets pass, mark the moment, and start the application."""
        moment = now()
        upgrade = self.parser.should_upgrade()
        check_size(self._limits, self.url, self.headers)
        check_form(self.parser.get_http_version(), self.url, self.headers, upgrade=upgrade)
        self._in_head = False
        self._barren = 0
        self._disarm()
        size = len(self.parser.get_method()) + section_bytes(self.url, self.headers) + _LINES
        link = Link(self._limits, Timeline(self._accepted, size), moment, self.transport)
        self.scope["extensions"] = {EXTENSION: {"link": link}}
        super().on_headers_complete()
        self.headers = []  # for trailers: in the application's list they would pass for headers
        link.answer = self.cycle
        self.cycle.transport = cast(asyncio.Transport, Outlet(self, self.transport))
        if upgrade or self._state.draining:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """More of the body."""
        self._barren = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        """The parser gave up: of itself, or because a callback above raised."""
        error = sys.exception()
        reason = error.__context__ if error else None
        self._refuse(reason if isinstance(reason, Refused) else InvalidRequest("This is not valid HTTP/1.1."))

    def _unsupported_upgrade_warning(self) -> None:
        """Upgrades are ignored in silence, as RFC 9110 allows."""

    def _bound_waiting(self) -> None:
        """After each read: what has come to nothing yet is bounded in bytes, and outside of requests in time."""
        if not self._deaf and (excess := self._excess()):
            self._refuse(excess)
        if self._deadline is None and not self._answering():
            self._expect_head()

    def _excess(self) -> Refused | None:
        """The refusal of a head that is too large before it is whole, or of trailers or chunk extensions without end.

        A whole head is checked exactly; unparsed bytes have room for the request line and what stands between fields.
        """
        try:
            if self._in_head:
                check_size(self._limits, self.url, self.headers)
        except Refused as refused:
            return refused
        return too_many_bytes(self._limits) if self._barren > 2 * self._limits.max_header_bytes else None

    def _swallow(self, size: int) -> None:
        self._swallowed += size
        if self._swallowed > LINGER_BYTES:
            self.transport.abort()
