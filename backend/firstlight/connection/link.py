"""What a request's handlers may know of the socket that it came on, and do to it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from firstlight.settings import Connection
from firstlight.stages import Timeline, now

EXTENSION = "firstlight"


class Answer(Protocol):
    """The request and response under way, as far as the link needs them."""

    keep_alive: bool
    more_body: bool
    response_complete: bool


class Link:
    """One request's line to its socket, and its marks. `headers` is a time of `stages.now()`, in seconds.

    Without a transport (an ASGI client in the same process) it has the marks and the limits only.
    """

    __slots__ = ("answer", "headers", "settings", "timeline", "transport")

    def __init__(
        self, settings: Connection, timeline: Timeline, headers: float, transport: asyncio.Transport | None = None
    ) -> None:
        self.settings = settings
        self.timeline = timeline
        self.timeline.mark("headers", headers)
        self.headers = headers
        self.transport = transport
        self.answer: Answer | None = None

    @property
    def lost(self) -> bool:
        """Whether the socket went before the answer was complete."""
        if self.transport is None or self.answer is None:
            return False
        return self.transport.is_closing() and not self.answer.response_complete

    @property
    def whole(self) -> bool:
        """Whether the request's last byte has been read from the socket."""
        return self.answer is not None and not self.answer.more_body

    def close_after_answer(self) -> None:
        """Make the answer to this request the connection's last."""
        if self.answer is not None:
            self.answer.keep_alive = False


def link_of(scope: Mapping[str, Any]) -> Link:
    """The link that the server left in an ASGI scope; a bare one, starting now, where another server called."""
    link: Link | None = scope.get("extensions", {}).get(EXTENSION, {}).get("link")
    moment = now()
    return link or Link(Connection(), Timeline(moment), moment)
