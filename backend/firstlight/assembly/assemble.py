"""The response that follows a reply: events from the token log onto one client's socket, until the terminal one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from firstlight import settings
from firstlight.assembly import sse
from firstlight.assembly.chunker import Chunker
from firstlight.assembly.compress import ZSTD, Coder, Identity, Zstd, ZstdPool
from firstlight.assembly.negotiate import IDENTITY, choose
from firstlight.errors import ReaderLeft
from firstlight.generations import Generation, Reader
from firstlight.stages import now
from firstlight.wire import Delta, Start

# ASGI's own words. Its messages are dictionaries that every framework types in another way.
Scope = Any
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

CODINGS = (IDENTITY, ZSTD)
"""What a stream can be sent in."""

_EARLY = 0.001
"""Seconds that a timer may ring too soon; what is due by then is sent, not waited for again."""


class Assembly:
    """Stage 7: gives each reader of a reply its own response.

    `running` says how many replies are under way. `reach` makes, from an ASGI scope and `send`, a `send` that raises
    ReaderLeft once nobody takes what it sends. `page_share` of the replies' pages are asked for their own timing.
    """

    def __init__(
        self,
        limits: settings.Assembly,
        running: Callable[[], int],
        reach: Callable[[Scope, Send], Send],
        page_share: float = 1.0,
    ) -> None:
        self.limits = limits
        self.reach = reach
        self._running = running
        self._page_share = page_share
        self._pool = ZstdPool(limits.zstd_level, limits.zstd_window_log)

    def negotiate(self, accept_encoding: str | None) -> str:
        """The content coding for a client; asked before the engine is. Raises NotAcceptable."""
        return choose(accept_encoding, [ZSTD])

    def assemble(self, generation: Generation, coding: str, after: int = 0) -> Follow:
        """The response that sends all of `generation` after position `after`, in `coding`.

        Called, it raises InvalidRequest or Gone before its first byte where the reply has no such position any more.
        """
        return Follow(self, generation, coding, after)

    def coder(self, coding: str) -> Coder:
        """A fresh coder for one stream."""
        return Zstd(self._pool) if coding == ZSTD else Identity()

    def report(self, generation: Generation) -> bool:
        """Whether the page of this reply is asked for its timing; the answer changes only once the page has sent it."""
        drawn = int(generation.id[-8:], 16) / 2**32  # an id's digits are random
        return drawn < self._page_share and not generation.reported

    def max_wait(self) -> float:
        """Seconds that a token may wait for company at the present load."""
        busy = self._running() >= self.limits.busy_streams
        return (self.limits.busy_wait_ms if busy else self.limits.max_wait_ms) / 1000


class Follow:
    """One reader of one reply, as an ASGI application.

    It reads the token log at its own pace and never holds the engine up. The client's going is watched for in a task of
    its own, which ends the writing one; both are over when the call returns.
    """

    def __init__(self, assembly: Assembly, generation: Generation, coding: str, after: int) -> None:
        self._assembly = assembly
        self._generation = generation
        self._coding = coding
        self._after = after
        self._chunker = Chunker(assembly.limits.max_tokens_per_event, after)
        self._timing_sent = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the terminal event is out or the client has gone."""
        with self._generation.reader(self._after) as reader:
            writer = asyncio.create_task(self._write(reader, self._assembly.reach(scope, send)))
            watcher = asyncio.create_task(_gone(receive))
            try:
                await asyncio.wait({writer, watcher}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                writer.cancel()
                watcher.cancel()
                results = await asyncio.gather(writer, watcher, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _write(self, reader: Reader, send: Send) -> None:
        coder = self._assembly.coder(self._coding)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _headers(self._coding)})
            await send(_body(coder.event(sse.event(self._start()))))
            await self._follow(reader, coder, send)
        except ReaderLeft:
            return
        finally:
            coder.close()

    async def _follow(self, reader: Reader, coder: Coder, send: Send) -> None:
        heartbeat_at = now() + self._assembly.limits.heartbeat_s
        while True:
            pieces, end = reader.read()
            self._chunker.add(pieces)
            data, due = self._events(all_of_it=end is not None)
            if end is not None:
                await send(_body(coder.last(data + sse.event(end)), more=False))
                return
            if data or now() >= heartbeat_at:
                heartbeat_at = now() + self._assembly.limits.heartbeat_s
                await send(_body(coder.event(data or sse.HEARTBEAT)))
            else:
                await _more(reader, min(due, heartbeat_at))

    def _events(self, *, all_of_it: bool) -> tuple[bytes, float]:
        """Bytes of the deltas that are due, or of all; and when what then waits will be due (seconds of `now()`)."""
        data = b""
        while (due := self._chunker.due(self._assembly.max_wait())) is not None:
            if due > now() + _EARLY and not all_of_it:
                return data, due
            data += sse.event(self._take(now()))
        return data, math.inf

    def _start(self) -> Start:
        reply = self._generation
        reply.timeline.mark("started")
        return Start(
            generation=reply.id,
            seq=0,
            model=reply.model,
            prompt_tokens=reply.prompt_tokens,
            timing=reply.timeline.marks,
            request_header_bytes=reply.timeline.head_bytes,
            queued=reply.queued,
            report=self._assembly.report(reply),
        )

    def _take(self, moment: float) -> Delta:
        """The next delta, handed to the socket at `moment`; the reader's first one carries the marks up to then."""
        timeline, timing = self._generation.timeline, None
        if not self._timing_sent:
            self._timing_sent = True
            timeline.mark("first_byte", moment)
            timing = timeline.marks
        return self._chunker.take(moment, timeline.ms(moment), timing)


async def _more(reader: Reader, until: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(until - now()):
            await reader.wait()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(data: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


def _headers(coding: str) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
        (b"vary", b"Accept-Encoding"),
    ]
    return headers if coding == IDENTITY else [*headers, (b"content-encoding", coding.encode())]
