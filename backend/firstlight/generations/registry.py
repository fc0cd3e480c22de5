"""All replies under way, and the finished ones that can still be replayed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from firstlight import settings
from firstlight.errors import Draining, Gone, NotFound, Overloaded
from firstlight.generations.generation import Generation
from firstlight.stages import User, now
from firstlight.wire import Stopped

_LET_GO_S = 1.0
"""How long a draining server waits for the engine to let go of its replies; the readers have their Error before."""


class Kept(msgspec.Struct, frozen=True):
    """A finished reply, kept until `until` (seconds of the clock), `bytes` in size."""

    generation: Generation
    until: float
    bytes: int


class Registry:
    """Bounded: replies under way by count, finished ones by count, bytes and age, the ids of those evicted by count."""

    def __init__(self, limits: settings.Generations, clock: Callable[[], float] = now) -> None:
        self.limits = limits
        self._clock = clock
        self._running: dict[str, Generation] = {}
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._kept_bytes = 0
        self._evicted: OrderedDict[str, str] = OrderedDict()
        self._draining = False

    def check_room(self) -> None:
        """Raise Draining or Overloaded where no further reply may start."""
        if self._draining:
            raise Draining("The server is shutting down.", retry_after=1)
        if len(self._running) >= self.limits.max_running:
            raise Overloaded("All places are taken.", limit=self.limits.max_running, retry_after=1)

    def add(self, generation: Generation) -> None:
        """Take in a reply that has just started; its end moves it to the finished ones."""
        self._running[generation.id] = generation
        generation.task.add_done_callback(lambda _: self._ended(generation))

    def get(self, generation_id: str, user: User) -> Generation:
        """The reply of that id. Raises NotFound (also where it is another user's), Gone where it was evicted."""
        self._evict()
        kept = self._kept.get(generation_id)
        generation = kept.generation if kept else self._running.get(generation_id)
        if generation is not None and generation.user.subject == user.subject:
            return generation
        if self._evicted.get(generation_id) == user.subject:
            raise Gone("This reply is kept no longer.")
        raise NotFound("There is no such reply.")

    async def stop(self, generation_id: str, user: User) -> Stopped:
        """End a reply for its user; returns once the engine was told. Idempotent. Raises as `get` does."""
        generation = self.get(generation_id, user)
        return Stopped(generation.id, await generation.stop())

    async def drain(self) -> None:
        """Take in no more; end all replies with an Error; return once the engine has let go, or after a second."""
        self._draining = True
        tasks = [generation.task for generation in self._running.values()]
        for generation in self._running.values():
            generation.drain()
        if tasks:
            await asyncio.wait(tasks, timeout=_LET_GO_S)

    def running(self) -> int:
        """Replies that the engine has not let go of."""
        return len(self._running)

    def _ended(self, generation: Generation) -> None:
        del self._running[generation.id]
        if not generation.was_taken:
            return
        size = generation.log.bytes
        self._kept[generation.id] = Kept(generation, self._clock() + self.limits.keep_s, size)
        self._kept_bytes += size
        self._evict()

    def _evict(self) -> None:
        while self._kept and self._over(next(iter(self._kept.values()))):
            generation_id, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= oldest.bytes
            self._evicted[generation_id] = oldest.generation.user.subject
        while len(self._evicted) > self.limits.max_kept:
            self._evicted.popitem(last=False)

    def _over(self, oldest: Kept) -> bool:
        return (
            oldest.until <= self._clock()
            or len(self._kept) > self.limits.max_kept
            or self._kept_bytes > self.limits.total_bytes
        )
