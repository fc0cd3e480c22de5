"""The whole server on a free loopback port in this process, and one kept connection that asks it, uncompressed."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple, Self

import msgspec

from firstlight import connection, settings
from firstlight.app import create_app
from firstlight.engine.protocol import Engine
from firstlight.errors import StartError
from firstlight.routing import Service
from firstlight.wire import ChatRequest, Done, Marks, Message

QUESTION = (Message("user", "Hello"),)
TOKENS = 8


class Answer(NamedTuple):
    """Milliseconds from the request's first byte out to the end of the first delta in, and the server's marks."""

    ttft_ms: float
    marks: Marks


def free(chosen: settings.Settings) -> settings.Settings:
    """`chosen` on any free port, with buckets that never run dry."""
    return msgspec.structs.replace(
        chosen,
        connection=msgspec.structs.replace(chosen.connection, port=0),
        admission=msgspec.structs.replace(chosen.admission, burst=10_000, rate=10_000.0),
    )


class Served:
    """The whole server on a free loopback port, and one kept connection to it."""

    def __init__(self, chosen: settings.Settings, engine: Engine) -> None:
        self._chosen = chosen
        self._stop = connection.Stop()
        self._ready: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._app = create_app(chosen, engine, self._ready.set_result, self._ready.set_exception)

    async def __aenter__(self) -> Self:
        listener = connection.bind(self._chosen.connection)
        self._serving = asyncio.create_task(
            connection.serve(self._app, self._chosen.connection, listener, stop=self._stop)
        )
        try:
            await self._ready
        except StartError:
            await self.__aexit__()
            raise
        self._reader, self._writer = await asyncio.open_connection(*listener.getsockname()[:2])
        service: Service = self._app.state.service
        body = msgspec.json.encode(ChatRequest(QUESTION, max_tokens=TOKENS))
        self._request = (
            b"POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            b"accept-encoding: identity\r\nauthorization: Bearer %b\r\ncontent-length: %d\r\n\r\n%b"
        ) % (service.admission.guest().access_token.encode(), len(body), body)
        return self

    async def __aexit__(self, *_: object) -> None:
        if hasattr(self, "_writer"):
            self._writer.close()
        self._stop.ask()
        await self._serving

    async def ask(self) -> Answer:
        """One request, from its first byte out to the end of the stream. Raises StartError where it is not answered."""
        began = time.perf_counter()
        self._writer.write(self._request)
        answer = b""
        first = None
        while not answer.endswith(b"0\r\n\r\n"):
            data = await self._reader.read(65_536)
            if not data:
                raise StartError("the server closed the connection while it was measured")
            answer += data
            if first is None and b"event: delta" in answer:
                first = time.perf_counter()
        if first is None:
            raise StartError(f"the server did not answer: {answer[:200]!r}")
        return Answer((first - began) * 1_000, _marks(answer))


def _marks(answer: bytes) -> Marks:
    """Those on the terminal event of a whole, uncompressed answer."""
    data = answer.rpartition(b"event: done")[2].partition(b"data: ")[2].partition(b"\n")[0]
    return msgspec.json.decode(data, type=Done).timing
