"""The entry of stage 6: a prompt is handed to the engine, and its reply runs."""

from __future__ import annotations

import secrets

from firstlight.engine.protocol import Engine, EngineRequest, Sampling
from firstlight.generations import Generation, Registry
from firstlight.stages import Prompt
from firstlight.tracecontext import follow


class Decode:
    """Starts replies on `engine` and enters them in `registry`; `traced` ones get a span of their own."""

    def __init__(self, engine: Engine, registry: Registry, *, traced: bool = False) -> None:
        self._traced = traced
        self._engine = engine
        self._registry = registry

    async def decode(self, prompt: Prompt) -> Generation:
        """Hand over; returns once the engine has taken the prompt. Sets the mark queued.

        Raises Draining, Overloaded, and what the engine refuses with: EngineUnavailable, ContextLength, InvalidRequest.
        Where the caller is cancelled, the reply is given up.
        """
        self._registry.check_room()
        generation = Generation(prompt, _request(prompt, traced=self._traced), self._engine, self._registry.limits)
        self._registry.add(generation)
        await generation.taken()
        return generation


def _request(prompt: Prompt, *, traced: bool) -> EngineRequest:
    asked = prompt.admitted.request
    return EngineRequest(
        id=f"gen-{secrets.token_hex(16)}",
        token_ids=prompt.token_ids,
        sampling=Sampling(
            max_tokens=prompt.max_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            stop=asked.stop,
            seed=asked.seed,
        ),
        cache_salt=prompt.admitted.cache_salt,
        trace=follow(prompt.admitted.timeline.traceparent) if traced else None,
    )
