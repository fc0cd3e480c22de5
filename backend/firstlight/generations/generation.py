"""One reply: whose it is, its marks, its token log and its readers. It outlives the socket that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
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
        self._was_read = False
        """A reader has come and left, or none came in time."""
        self._tell: Callable[[Generation], None] | None = None

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

    def when_over(self, tell: Callable[[Generation], None]) -> None:
        """Have `tell` called once: when the reply has its end, and its first text is on its way or nobody waits for it.

        So its marks are whole also where a reply ends before its first reader has got as far as that.
        """
        self._tell = tell
        self.task.add_done_callback(lambda _: self._check_over())

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
            self._was_read = True
            self._check_over()
            if not self.log.readers:
                self._expect_reader(self._grace_s)

    async def stop(self) -> Literal["stopped", "finished"]:
        """End the reply for its user; returns once the engine was told. The answer is always the same."""
        return await self._pump.stop()

    def drain(self) -> None:
        """End the reply because the server stops."""
        self._pump.drain()

    def _expect_reader(self, seconds: float) -> None:
        self._unread = asyncio.get_running_loop().call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        self._pump.abandon()
        self._was_read = True
        self._check_over()

    def _check_over(self) -> None:
        whole = self.timeline.marks.first_byte is not None or not self.log.has_text or self._was_read
        if self._tell is not None and self.task.done() and whole:
            tell, self._tell = self._tell, None
            tell(self)
