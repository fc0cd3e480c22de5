"""What the handlers work with: the stages as `app.py` has wired them, and how the server stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from firstlight.admission import Admission
from firstlight.assembly import Assembly
from firstlight.decode import Decode
from firstlight.engine.protocol import Engine
from firstlight.errors import EngineUnavailable
from firstlight.generations import Generation, Registry
from firstlight.prefill import Prefill
from firstlight.wire import Ready

State = Literal["loading", "warming", "ok", "draining"]


class Service:
    """The stages and the registry. `record` is told of every reply that a client has asked for.

    `state` goes from `loading` to `warming` once the engine takes prompts, and to `ok` once a reply has passed through
    all stages.
    """

    def __init__(
        self,
        *,
        engine: Engine,
        registry: Registry,
        admission: Admission,
        prefill: Prefill,
        decode: Decode,
        assembly: Assembly,
        record: Callable[[Generation], None],
    ) -> None:
        self.state: State = "loading"
        self.registry = registry
        self.admission = admission
        self.decode = decode
        self.assembly = assembly
        self.record = record
        self._prefill = prefill
        self._engine = engine

    @property
    def prefill(self) -> Prefill:
        """Stage 5. Raises EngineUnavailable while the engine loads: only then its template and its limits are known."""
        if self.state == "loading":
            raise EngineUnavailable("The model is still loading.", retry_after=2)
        return self._prefill

    async def ready(self) -> Ready:
        """How the server stands now, the engine included."""
        match self.state:
            case "loading":
                return Ready("starting", reason="the model is loading")
            case "warming":
                return Ready("starting", reason="the first reply is on its way")
            case "draining":
                return Ready("draining", reason="the server is shutting down")
        health = await self._engine.health()
        if health.state != "ready":
            return Ready("failed", reason=health.reason)
        return Ready("ok", model=self._engine.limits.model)

    def advance(self, state: Literal["warming", "ok"]) -> None:
        """The start has come so far; of no effect once the server drains."""
        if self.state != "draining":
            self.state = state

    async def drain(self) -> None:
        """Take in no more, and end what runs."""
        self.state = "draining"
        await self.registry.drain()
