"""Replies without HTTP: the stages from prefill on, over the scripted engine, and faults at the engine's seam."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from firstlight import settings
from firstlight.decode import Decode
from firstlight.engine.protocol import EngineOutput, EngineRequest, Outputs
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from firstlight.generations import End, Generation, Registry
from firstlight.prefill import Prefill
from firstlight.stages import Admitted, Timeline, User, now
from firstlight.wire import ChatRequest, Message

ANN, BOB = User("guest-ann"), User("guest-bob")
HELLO = "Hello there, how can I help you?"

QUICK = Scenario(
    model="scripted-test",
    first_ms=1,
    step_ms=0.5,
    replies=(
        Reply(exact="endless", script=(Step(text="word ", repeat=100_000, delay_ms=20),)),
        Reply(exact="late", script=(Step(text="late", delay_ms=5_000),)),
        Reply(exact="no text", script=(Step(pieces=("", "")),)),
        Reply(exact="half letters", script=(Step(pieces=("a", "", "é", "", "")),)),
        Reply(exact="fails", script=(Step(text="One two"), Step(fail="the script says so"))),
        Reply(exact="dies", script=(Step(text="One two"), Step(die=True))),
        Reply(script=(Step(text=HELLO),)),
    ),
)


class Desk:
    """An engine, a registry, and the stages between a request and its reply."""

    def __init__(self, engine: Scripted, limits: settings.Generations, clock: Callable[[], float]) -> None:
        self.engine = engine
        self.registry = Registry(limits, clock)
        self._prefill = Prefill(engine, default_max_tokens=100_000)
        self._decode = Decode(engine, self.registry)

    async def ask(self, text: str = "Hello", *, user: User = ANN, **fields: Any) -> Generation:
        """Start the reply to a conversation of one message."""
        request = ChatRequest(messages=(Message("user", text),), **fields)
        admitted = Admitted(request, user, Timeline(now()), cache_salt=user.subject)
        return await self._decode.decode(await self._prefill.prefill(admitted))

    async def quiet(self) -> None:
        """Return once no reply is left, here and in the engine."""
        async with asyncio.timeout(20):
            while self.registry.running() or self.engine.running():
                await asyncio.sleep(0.001)


@asynccontextmanager
async def desk(engine: Scripted | None = None, clock: Callable[[], float] = now, **limits: Any) -> AsyncIterator[Desk]:
    """A desk with a running engine; at the end all is drained and stopped."""
    engine = engine or Scripted(QUICK)
    await engine.start()
    made = Desk(engine, settings.Generations(**limits), clock)
    try:
        yield made
    finally:
        await made.registry.drain()
        await engine.stop()


async def read(generation: Generation, after: int = 0) -> tuple[str, End]:
    """All text after a position, and the end."""
    text = ""
    end: End | None = None
    with generation.reader(after) as reader:
        while end is None:
            await reader.wait()
            pieces, end = reader.read()
            text += "".join(piece.text for piece in pieces)
    return text, end


class Faults(msgspec.Struct):
    """What goes wrong, if anything: exceptions to raise, a gate for the hand-over, outputs that come first."""

    generate: BaseException | None = None
    gate: asyncio.Event | None = None
    output: BaseException | None = None
    after: int = 0
    ends_early: bool = False
    aclose: Exception | None = None
    abort: Exception | None = None
    slow_s: float = 0.0
    """How long letting go takes."""


class Faulty(Scripted):
    """The scripted engine, with faults at its seam."""

    def __init__(self, faults: Faults, scenario: Scenario = QUICK) -> None:
        super().__init__(scenario)
        self.faults = faults
        self.let_go = 0

    async def generate(self, request: EngineRequest) -> Outputs:  # type: ignore[override]
        """As the engine, or with the fault."""
        if self.faults.gate is not None:
            await self.faults.gate.wait()
        if self.faults.generate is not None:
            raise self.faults.generate
        return FaultyOutputs(self, await super().generate(request))

    async def abort(self, request_id: str) -> None:
        """As the engine, but late, or with the fault."""
        await asyncio.sleep(self.faults.slow_s)
        await super().abort(request_id)
        self.let_go += 1
        if self.faults.abort is not None:
            raise self.faults.abort


class FaultyOutputs:
    """Outputs that break off after some."""

    def __init__(self, engine: Faulty, outputs: Outputs) -> None:
        self._engine = engine
        self._outputs = outputs
        self._left = engine.faults.after

    def __aiter__(self) -> AsyncIterator[EngineOutput]:
        return self

    async def __anext__(self) -> EngineOutput:
        faults = self._engine.faults
        if self._left == 0 and faults.output is not None:
            raise faults.output
        if self._left == 0 and faults.ends_early:
            raise StopAsyncIteration
        self._left -= 1
        return await anext(self._outputs)

    async def aclose(self) -> None:
        await asyncio.sleep(self._engine.faults.slow_s)
        await self._outputs.aclose()
        self._engine.let_go += 1
        if self._engine.faults.aclose is not None:
            raise self._engine.faults.aclose
