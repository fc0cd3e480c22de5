"""The `send` of a stream: it tells when nobody reads any more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from firstlight.connection.link import link_of
from firstlight.errors import ReaderLeft

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class PatientSend:
    """Waits while the reader is slow, and raises once it has gone.

    A reader counts as gone when its socket is closed, or when it has taken nothing for `send_timeout_s`: then the
    protocol cuts the connection. One that takes a little every now and then is kept, however slow it is.
    """

    def __init__(self, scope: Mapping[str, Any], send: Send) -> None:
        self._link = link_of(scope)
        self._send = send

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Send one ASGI message. Raises ReaderLeft where it cannot reach anybody."""
        await self._send(message)
        if self._link.lost:
            raise ReaderLeft("The reader has closed the connection, or takes nothing.")
