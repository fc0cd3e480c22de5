"""The seam between First Light and what computes tokens. `vllm.py` and `scripted/` stand behind it, and nothing else.

One contract suite (`tests/contract`) runs against both.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Literal, Protocol

import msgspec

from firstlight.errors import ContextLength, InvalidRequest
from firstlight.tracecontext import TraceContext
from firstlight.wire import Message

EngineFinish = Literal["stop", "length", "abort"]


class Sampling(msgspec.Struct, frozen=True):
    """How tokens are drawn. None takes the model's own default (its generation config)."""

    max_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


class EngineRequest(msgspec.Struct, frozen=True):
    """One prompt for the engine. `id` is unique among those under way; a lower `priority` is scheduled sooner.

    `trace` is the reply's own span, where traces are kept: the engine's are to be its children.
    """

    id: str
    token_ids: list[int]
    sampling: Sampling
    cache_salt: str
    priority: int = 0
    trace: TraceContext | None = None


class EngineTimes(msgspec.Struct, frozen=True):
    """When the engine did what: seconds of its core's monotonic clock, which on one host is that of `stages.now()`."""

    queued: float | None = None
    scheduled: float | None = None
    first_token: float | None = None


class EngineOutput(msgspec.Struct, frozen=True):
    """What one step added to a reply: `tokens` new ones, whose text may be empty (half a character, a held stop)."""

    text: str
    tokens: int
    finish: EngineFinish | None = None
    cached_tokens: int = 0
    times: EngineTimes | None = None


class Outputs(Protocol):
    """The outputs of one reply. The last one, and no other, has a `finish`; after `abort` that is "abort".

    Its holder iterates to the end, or closes it, or calls `abort`: otherwise the engine would compute for nobody. Being
    cancelled while waiting in `__anext__` closes it.
    """

    def __aiter__(self) -> AsyncIterator[EngineOutput]: ...

    async def __anext__(self) -> EngineOutput:
        """Next output. Raises EngineFailed when the engine gives up on the reply, or dies."""
        ...

    async def aclose(self) -> None:
        """Let go of the reply, be it before the first output was asked for. Idempotent."""
        ...


class Limits(msgspec.Struct, frozen=True):
    """What the engine can take. `max_model_len` counts prompt and reply tokens together; `max_num_seqs` run at once."""

    model: str
    max_model_len: int
    max_num_seqs: int

    def check(self, tokens: int) -> None:
        """Raise InvalidRequest or ContextLength where a prompt of so many tokens cannot be taken."""
        if tokens == 0:
            raise InvalidRequest("The prompt is empty.")
        if tokens >= self.max_model_len:
            raise ContextLength(
                f"The prompt has {tokens} tokens; with a reply, at most {self.max_model_len} fit.",
                limit=self.max_model_len,
            )


class Health(msgspec.Struct, frozen=True):
    """`ready`: a request would be taken now. Otherwise `reason` is one line for an operator."""

    state: Literal["starting", "ready", "failed", "stopped"]
    reason: str | None = None


class Renderer(Protocol):
    """Messages to token ids, by the model's chat template. Text that a user typed never becomes a special token."""

    async def render(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of the conversation, the template's opening of the answer included. Long inputs run off the loop.

        Raises InvalidRequest where the template refuses the conversation.
        """
        ...


class Engine(Protocol):
    """One model, ready to generate. Methods are called from the serving event loop only."""

    renderer: Renderer

    @property
    def limits(self) -> Limits:
        """What it can take; known once started."""
        ...

    async def start(self) -> None:
        """Load; return when a request can be taken; the loop goes on meanwhile. Raises StartError."""
        ...

    async def stop(self) -> None:
        """End all processes, and all replies: their outputs raise EngineFailed, `dead`. Idempotent."""
        ...

    async def generate(self, request: EngineRequest) -> Outputs:
        """Hand over a prompt; returns the outputs to come once it is taken.

        Raises ContextLength or InvalidRequest (the engine refuses the prompt), Overloaded, EngineUnavailable here, and
        EngineFailed from the iterator. Iterating ends with `finish="abort"` after `abort`.
        """
        ...

    async def abort(self, request_id: str) -> None:
        """Stop one reply; unknown ids are ignored. Once it returns, at most the step under way is computed for it."""
        ...

    async def health(self) -> Health:
        """How it stands, without asking the model."""
        ...

    def running(self) -> int:
        """Replies that the engine has taken and not ended."""
        ...
