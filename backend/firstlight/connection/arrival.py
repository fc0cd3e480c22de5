"""Stage 2's entry verb: a request whose headers are in becomes an arrival, whose body comes within limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from firstlight.connection.link import Link, link_of
from firstlight.errors import InvalidRequest, Refused, Timeout, TooLarge, UnsupportedMedia
from firstlight.stages import now

Receive = Callable[[], Awaitable[Any]]

JSON_UTF8 = re.compile(r'application/json(\s*;\s*charset="?utf-8"?)?\s*', re.IGNORECASE)


class Arrival:
    """A request on its way in. `headers` has lower-case names; `client` is the address of the socket's other end."""

    def __init__(self, link: Link, headers: Mapping[str, str], client: str, receive: Receive) -> None:
        self.headers = headers
        self.client = client
        self.timeline = link.timeline
        self.timeline.mark("routed")
        self.timeline.traceparent = headers.get("traceparent")
        self._link = link
        self._receive = receive

    async def body(self, max_bytes: int | None = None) -> bytes:
        """The whole body, as it was sent; sets the mark `body`, also where it is refused.

        It has `max_bytes` at most, or what the settings allow. A refusal makes the answer the connection's last.

        Raises UnsupportedMedia (not JSON in UTF-8, or encoded), TooLarge (by its announced length before it is read,
        else at the first byte too many), Timeout (not whole `body_timeout_s` after the headers), and InvalidRequest
        (the connection ended first; nobody is there to read the answer).
        """
        limits = self._link.settings
        most = max_bytes or limits.max_body_bytes
        try:
            self._check_announced(most)
            # Most bodies are here already, and setting up a deadline costs more than reading them.
            reading = self._read(most)
            body = await (reading if self._link.whole else self._in_time(reading, limits.body_timeout_s))
        except Refused:
            self._link.close_after_answer()
            raise
        finally:
            self.timeline.mark("body")
        return body

    async def _in_time(self, reading: Awaitable[bytes], seconds: float) -> bytes:
        try:
            async with asyncio.timeout(max(0.0, self._link.headers + seconds - now())):
                return await reading
        except TimeoutError as error:
            raise Timeout(f"The body was not whole {seconds:g} s after the headers.") from error

    def _check_announced(self, limit: int) -> None:
        if not JSON_UTF8.fullmatch(self.headers.get("content-type", "")):
            raise UnsupportedMedia("The body must be application/json in UTF-8.")
        if "content-encoding" in self.headers:
            raise UnsupportedMedia("The body must not be compressed: send it without Content-Encoding.")
        if int(self.headers.get("content-length", 0)) > limit:
            raise _too_large(limit)

    async def _read(self, limit: int) -> bytes:
        body = bytearray()
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise InvalidRequest("The connection ended before the body did.")
            body += message.get("body", b"")
            if len(body) > limit:
                raise _too_large(limit)
            if not message.get("more_body", False):
                return bytes(body)


def connect(scope: Mapping[str, Any], receive: Receive) -> Arrival:
    """Take in the request of an ASGI `scope`, in its handler: sets the mark routed.

    Nothing of its body has been asked for yet.
    """
    client = scope.get("client") or ("", 0)
    return Arrival(link_of(scope), _headers(scope["headers"]), client[0], receive)


def _headers(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body has more than {limit:,} bytes.", limit=limit)
