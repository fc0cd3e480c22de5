"""The real engine: vLLM's AsyncLLM in this process, the model in a process of its own.

Holds for vLLM 0.26 (GPU) to 0.32 (CPU build); where they differ a comment says so. vllm is imported in functions, since
that takes seconds and must not happen before the loop answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from firstlight.engine.loading import THREAD, load, one_line
from firstlight.engine.models import ModelSource
from firstlight.engine.protocol import EngineFinish, EngineOutput, EngineRequest, EngineTimes, Health, Limits, Renderer
from firstlight.errors import EngineFailed, EngineUnavailable, InvalidRequest, StartError
from firstlight.settings import Engine

_FINISHES: dict[str, EngineFinish] = {"stop": "stop", "repetition": "stop", "length": "length", "abort": "abort"}


_STOP_S = 2.0
"""How long the engine's process may take to end before it is killed; it has nothing to save."""


class VllmOutputs:
    """The outputs of one reply. While its holder is busy, what comes is merged into one output."""

    def __init__(self, collector: Any, let_go: Callable[[], object]) -> None:
        self._collector = collector
        self._let_go = let_go
        self._began = False
        self._ended = False

    def __aiter__(self) -> AsyncIterator[EngineOutput]:
        return self

    async def __anext__(self) -> EngineOutput:
        if self._ended:
            raise StopAsyncIteration
        try:
            output = self._collector.get_nowait() or await self._collector.get()
            step = _step(output, with_times=not self._began)
        except asyncio.CancelledError:
            await self.aclose()
            raise
        except Exception as error:
            await self.aclose()
            raise _failure(error) from error
        self._began, self._ended = True, output.finished
        return step

    async def aclose(self) -> None:
        """Let go of the reply."""
        if not self._ended:
            self._ended = True
            self._let_go()


class Vllm:
    """Engine of the protocol. `start` loads the model anew each time, also after the engine's process has died."""

    renderer: Renderer

    def __init__(self, chosen: Engine, source: ModelSource, traces: str = "") -> None:
        """Not started. `traces` is where vLLM sends its spans (OTLP over HTTP); empty: nowhere."""
        self.limits = Limits(source.name, chosen.max_model_len, chosen.max_num_seqs)
        self._chosen = chosen
        self._source = source
        self._traces = traces
        self._llm: Any = None
        self._defaults: dict[str, Any] = {}
        self._health = Health("stopped", "it was not started")
        self._aborting: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Load the model and start the engine's process. Raises StartError."""
        await self.stop()
        self._health = Health("starting", "the model is being loaded")
        try:
            self._llm, self.renderer = await load(self._chosen, self._source, self._traces)
        except StartError as error:
            self._health = Health("failed", str(error))
            raise
        await self._llm.get_supported_tasks()  # a question to the engine's process; add_request takes the answer
        config = self._llm.model_config
        self._defaults = config.get_diff_sampling_param()
        self.limits = Limits(self._source.name, config.max_model_len, self._chosen.max_num_seqs)
        self._health = Health("ready")

    async def stop(self) -> None:
        """End the engine's process, and all replies, which fail."""
        self._health = Health("stopped", "it was stopped")
        llm, self._llm = self._llm, None
        if llm is not None:
            from vllm.v1.engine.exceptions import EngineDeadError

            llm.output_processor.propagate_error(EngineDeadError())
            await asyncio.get_running_loop().run_in_executor(THREAD, llm.shutdown, _STOP_S)

    async def generate(self, request: EngineRequest) -> VllmOutputs:
        """Hand a prompt over. Raises as the protocol says."""
        llm = self._ready()
        self.limits.check(len(request.token_ids))
        from vllm.exceptions import VLLMValidationError
        from vllm.v1.engine.exceptions import EngineDeadError

        try:
            collector = await llm.add_request(
                *self._taken(request),
                priority=request.priority,
                trace_headers={"traceparent": request.trace.traceparent} if request.trace else None,
            )
        except asyncio.CancelledError:
            self._let_go(request.id)  # vLLM would keep for ever what it has noted of it by now
            raise
        except EngineDeadError as error:
            raise EngineUnavailable("The engine cannot answer: its process died.", retry_after=1) from error
        except (VLLMValidationError, ValueError) as error:  # in 0.26 the one is the other
            raise InvalidRequest(f"The engine refuses the request: {one_line(error)}") from error
        return VllmOutputs(collector, lambda: self._let_go(request.id))

    def direct(self, request: EngineRequest) -> AsyncIterator[Any]:
        """vLLM's own generator for the same request: what `firstlight bench overhead` compares with."""
        name, prompt, sampling = self._taken(request)
        outputs: AsyncIterator[Any] = self._ready().generate(prompt, sampling, name, priority=request.priority)
        return outputs

    async def abort(self, request_id: str) -> None:
        """Stop one reply. Goes on when the caller is cancelled."""
        if self._llm is not None:
            await asyncio.shield(self._let_go(request_id))

    async def health(self) -> Health:
        """How it stands. A process that hangs is not seen here."""
        if self._health.state == "ready" and self._llm.errored:
            self._health = Health("failed", "the engine's process died")
        return self._health

    def running(self) -> int:
        """Replies that vLLM has taken and not ended."""
        if self._llm is None or self._llm.errored:
            return 0
        count: int = self._llm.output_processor.get_num_unfinished_requests()
        return count

    def _ready(self) -> Any:
        if self._health.state != "ready":
            raise EngineUnavailable(f"The engine cannot answer: {self._health.reason}.", retry_after=1)
        return self._llm

    def _taken(self, request: EngineRequest) -> tuple[str, Any, Any]:
        """The request in vLLM's words: id, prompt, sampling parameters."""
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind, SamplingParams

        asked = request.sampling
        chosen = {"temperature": asked.temperature, "top_p": asked.top_p, "seed": asked.seed}
        fields = self._defaults | {name: value for name, value in chosen.items() if value is not None}
        fields |= {"max_tokens": asked.max_tokens, "stop": list(asked.stop)}
        sampling = SamplingParams(**fields, output_kind=RequestOutputKind.DELTA, skip_clone=True)
        return request.id, tokens_input(request.token_ids, cache_salt=request.cache_salt), sampling

    def _let_go(self, request_id: str) -> asyncio.Task[None]:
        """Abort in a task of its own, which nothing cancels."""
        task = asyncio.get_running_loop().create_task(self._abort(request_id), name=f"abort {request_id}")
        self._aborting.add(task)
        task.add_done_callback(self._aborting.discard)
        return task

    async def _abort(self, request_id: str) -> None:
        if self._llm is not None:
            await self._llm.abort(request_id)


def _step(output: Any, *, with_times: bool) -> EngineOutput:
    """An output of vLLM in the protocol's words. Raises EngineFailed where vLLM ends the reply for an error."""
    completion = output.outputs[0]
    if completion.finish_reason is not None and completion.finish_reason not in _FINISHES:
        raise EngineFailed(f"vLLM ended the reply with '{completion.finish_reason}'")
    return EngineOutput(
        text=completion.text,
        tokens=len(completion.token_ids),
        finish=_FINISHES[completion.finish_reason] if completion.finish_reason else None,
        cached_tokens=output.num_cached_tokens or 0,
        times=_times(output.metrics) if with_times and output.metrics else None,
    )


def _times(metrics: Any) -> EngineTimes:
    """The core's own clock; the front end's figures beside them are of another. What did not happen is 0 there."""
    return EngineTimes(metrics.queued_ts or None, metrics.scheduled_ts or None, metrics.first_token_ts or None)


def _failure(error: Exception) -> EngineFailed:
    from vllm.v1.engine.exceptions import EngineDeadError

    if isinstance(error, EngineFailed):
        return error
    if isinstance(error, EngineDeadError):
        return EngineFailed("the engine's process died", dead=True)
    return EngineFailed(f"the engine gave the reply up: {one_line(error)}")
