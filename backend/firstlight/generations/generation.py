"""One reply: whose it is, its marks, its token log and its readers. It outlives the socket that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from firstlight import settings
from firstlight.engine.protocol import Engine, EngineRequest
from firstlight.generations.log import Reader, TokenLog
from firstlight.generations.pump import Pump
from firstlight.stages import Prompt

_FIRST_READER_S = 5.0
"""How long a fresh reply waits for its first reader: whoever asked may have gone before there was a stream to leave."""


class Generation:
    """The reply to `prompt`. Its pump starts with it, so it is made on the event loop."""

    def __init__(self, prompt: Prompt, request: EngineRequest, engine: Engine, limits: settings.Generations) -> None:
        self.id = request.id
        self.user = prompt.admitted.user
        self.timeline = prompt.admitted.timeline
        self.trace = request.trace
        self.model = engine.limits.model
        self.prompt_tokens = len(prompt.token_ids)
        self.log = TokenLog(limits.log_bytes)
        self.reported = False
        """Its page has said what it saw of it."""
        self._grace_s = limits.grace_s
        self._pump = Pump(engine, request, self.log, self.timeline)
        self._unread: asyncio.TimerHandle | None = None

    @property
    def task(self) -> asyncio.Task[None]:
        """Ends once the log has its end and the engine has let go."""
        return self._pump.task

    @property
    def was_taken(self) -> bool:
        """Whether the engine took the prompt; where it refused it, nobody ever learns of this reply."""
        return self._pump.was_taken

    @property
    def queued(self) -> bool:
        """Whether the reply waits because the engine computes for as many as it can."""
        return self._pump.waits and self.timeline.marks.scheduled is None

    async def taken(self) -> None:
        """Return once the engine has taken the prompt. Raises what the engine refuses it with, or Draining."""
        await self._pump.taken()
        self._expect_reader(_FIRST_READER_S)

    @contextmanager
    def reader(self, after: int = 0) -> Iterator[Reader]:
        """Follow the reply from position `after`. Raises InvalidRequest (no such position) or Gone (kept no longer).

        When the last reader leaves, the reply is given up after the grace time, unless one comes back.
        """
        reader = Reader(self.log, after)
        if self._unread is not None:
            self._unread.cancel()
        try:
            yield reader
        finally:
            reader.leave()
            if not self.log.readers:
                self._expect_reader(self._grace_s)

    async def stop(self) -> Literal["stopped", "finished"]:
        """End the reply for its user; returns once the engine was told. The answer is always the same."""
        return await self._pump.stop()

    def drain(self) -> None:
        """End the reply because the server stops."""
        self._pump.drain()

    def _expect_reader(self, seconds: float) -> None:
        self._unread = asyncio.get_running_loop().call_later(seconds, self._pump.abandon)
