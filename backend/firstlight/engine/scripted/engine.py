"""The engine that plays a scenario: no model, exact times. In the process, or in a child where the scenario says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from firstlight.engine.protocol import EngineOutput, EngineRequest, Health, Limits, Renderer
from firstlight.engine.scripted.core import Abort, Add, Event, Failed
from firstlight.engine.scripted.link import Child, Local
from firstlight.engine.scripted.render import WordRenderer
from firstlight.engine.scripted.scenario import Scenario
from firstlight.errors import EngineFailed, EngineUnavailable, Overloaded, StartError


class ScriptedOutputs:
    """The outputs of one reply, in the order and pieces of its script however late they are taken."""

    def __init__(self, abort: Callable[[], None]) -> None:
        self._abort = abort
        self._ready: asyncio.Queue[EngineOutput | EngineFailed] = asyncio.Queue()
        self._ended = False

    def put(self, item: EngineOutput | EngineFailed) -> None:
        """Add an output, or the failure that ends the reply."""
        self._ready.put_nowait(item)

    def __aiter__(self) -> AsyncIterator[EngineOutput]:
        return self

    async def __anext__(self) -> EngineOutput:
        if self._ended:
            raise StopAsyncIteration
        try:
            item = await self._ready.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        self._ended = isinstance(item, EngineFailed) or item.finish is not None
        if isinstance(item, EngineFailed):
            raise item
        return item

    async def aclose(self) -> None:
        """Let go of the reply."""
        self._ended = True
        self._abort()


class Scripted:
    """Engine of the protocol. Each `start` begins anew, with an empty queue and cache; after a death as well."""

    renderer: Renderer = WordRenderer()

    def __init__(self, scenario: Scenario) -> None:
        self.limits = Limits(scenario.model, scenario.max_model_len, scenario.slots)
        self._scenario = scenario
        self._replies: dict[str, ScriptedOutputs] = {}
        self._link: Local | Child | None = None
        self._health = Health("stopped", "it was not started")

    @property
    def pid(self) -> int | None:
        """The child process, for signals; None where there is none."""
        return self._link.pid if self._link else None

    async def start(self) -> None:
        """Start the core. Raises StartError where the child does not come up."""
        await self._close()
        self._health = Health("starting", "it is starting")
        await asyncio.sleep(self._scenario.start_ms / 1000)
        kind = Child if self._scenario.child else Local
        self._link = kind(self._scenario, self._deliver, self._lost)
        try:
            await self._link.open()
        except StartError as error:
            self._health = Health("failed", str(error))
            raise
        self._health = Health("ready")

    async def stop(self) -> None:
        """End all replies, which fail, and the child."""
        self._end(Health("stopped", "it was stopped"))
        await self._close()

    async def generate(self, request: EngineRequest) -> ScriptedOutputs:
        """Queue a prompt. Raises as the protocol says."""
        if self._link is None or self._health.state != "ready":
            raise EngineUnavailable(f"The engine cannot answer: {self._health.reason}.", retry_after=1)
        self.limits.check(len(request.token_ids))
        self._check_room()
        outputs = self._replies[request.id] = ScriptedOutputs(lambda: self._drop(request.id))
        self._link.send(Add(request))
        return outputs

    async def abort(self, request_id: str) -> None:
        """Stop one reply."""
        self._drop(request_id)

    async def health(self) -> Health:
        """How it stands."""
        return self._health

    def running(self) -> int:
        """Replies taken and not ended."""
        return len(self._replies)

    def _check_room(self) -> None:
        room = self._scenario.slots + self._scenario.queue
        if len(self._replies) >= room:
            raise Overloaded(f"The queue is full: {room} replies run or wait.", limit=room, retry_after=1)

    def _drop(self, request_id: str) -> None:
        outputs = self._replies.pop(request_id, None)
        if outputs is not None and self._link is not None:
            outputs.put(EngineOutput("", 0, "abort"))
            self._link.send(Abort(request_id))

    def _deliver(self, events: list[Event]) -> None:
        for event in events:
            outputs = self._replies.get(event.id)
            if outputs is None:
                continue  # the reply was dropped while the event was on its way
            ends = isinstance(event, Failed) or event.output.finish is not None
            if ends:
                del self._replies[event.id]
            outputs.put(EngineFailed(event.detail) if isinstance(event, Failed) else event.output)

    def _lost(self, reason: str) -> None:
        self._end(Health("failed", reason))

    def _end(self, health: Health) -> None:
        self._health = health
        replies, self._replies = self._replies, {}
        for outputs in replies.values():
            outputs.put(EngineFailed(f"The engine ended: {health.reason}.", dead=True))

    async def _close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.close()
