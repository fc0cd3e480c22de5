"""The pump: a task that drives one reply from the engine into its token log, whoever reads and whoever leaves.

It never runs in a request's cancel scope, and whatever happens it ends the log with exactly one Done or Error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Literal

import structlog

from firstlight.engine.protocol import Engine, EngineFinish, EngineOutput, EngineRequest, Outputs
from firstlight.errors import Draining, EngineFailed
from firstlight.generations.log import End, TokenLog
from firstlight.stages import Timeline, now
from firstlight.wire import Done, Error, ErrorType, Usage

logger = structlog.get_logger(__name__)

Why = Literal["stopped", "abandoned"]

_DRAINING = "The server is shutting down."


class Pump:
    """Drives the reply to `request` into `log`, and sets the marks from `queued` on that are not a socket's.

    It starts when it is made. `task` ends once the engine has let go of the reply.
    """

    def __init__(self, engine: Engine, request: EngineRequest, log: TokenLog, timeline: Timeline) -> None:
        self._engine = engine
        self._id = request.id
        self._prompt_tokens = len(request.token_ids)
        self._cached_tokens = 0
        self._log = log
        self._timeline = timeline
        self.waits = False
        """The engine computed for as many as it can when it got the prompt."""
        self._why: Why | None = None
        self._aborting: asyncio.Task[None] | None = None
        self._taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._run(request), name=f"pump {request.id}")

    @property
    def was_taken(self) -> bool:
        """Whether the engine has taken the prompt."""
        return self._taken.done() and self._taken.exception() is None

    async def taken(self) -> None:
        """Return once the engine has taken the prompt; raises what it refuses it with.

        Who is cancelled while waiting here was the only one to know of the reply: it is abandoned.
        """
        try:
            await asyncio.shield(self._taken)
        except asyncio.CancelledError:
            self.abandon()
            raise

    async def stop(self) -> Literal["stopped", "finished"]:
        """End the reply because its user wants so; returns once the engine was told. The answer is always the same."""
        self._end_for("stopped")
        if self._aborting is not None:
            await asyncio.shield(self._aborting)
        return "finished" if self._why is None else "stopped"

    def abandon(self) -> None:
        """End the reply because nobody reads it."""
        self._end_for("abandoned")

    def drain(self) -> None:
        """End the reply because the server stops: readers have their Error at once, the engine lets go afterwards."""
        self._close(self._error("draining", _DRAINING))
        # Here and not in the task alone: one that is cancelled before its first step never runs a line.
        self._refuse(Draining(_DRAINING))
        self.task.cancel()

    def _end_for(self, why: Why) -> None:
        if self._why is None and self._log.end is None:
            self._why = why
            if self.was_taken:
                self._abort()

    def _abort(self) -> None:
        self._aborting = asyncio.create_task(self._quietly(self._engine.abort(self._id)), name=f"abort {self._id}")

    async def _run(self, request: EngineRequest) -> None:
        try:
            outputs = await self._hand_over(request)
        except Exception as error:  # noqa: BLE001 - whoever waits in `taken` gets it
            self._refuse(error)
            return
        except asyncio.CancelledError:
            self._refuse(Draining(_DRAINING))
            raise
        del request  # its token ids are of no use any more, and a reply is kept for long
        await self._pump(outputs)

    async def _hand_over(self, request: EngineRequest) -> Outputs:
        self.waits = self._engine.running() >= self._engine.limits.max_num_seqs
        at = now()
        outputs = await self._engine.generate(request)
        self._timeline.mark("queued", at)
        self._taken.set_result(None)
        if self._why is not None:  # it was abandoned before the engine knew of it
            self._abort()
        return outputs

    def _refuse(self, error: Exception) -> None:
        """Tell who waits in `taken` that it will not be; of no effect once the prompt is taken, or refused already."""
        if self._taken.done():
            return
        self._close(self._error("internal", "The engine did not take the prompt."))
        self._taken.set_exception(error)
        self._taken.exception()  # seen: nobody may be waiting any more

    async def _pump(self, outputs: Outputs) -> None:
        try:
            self._close(await self._follow(outputs))
        except asyncio.CancelledError:
            self._close(self._error("draining", _DRAINING))
            raise
        except EngineFailed as error:
            logger.warning("engine_failed", generation=self._id, dead=error.dead, reason=str(error))
            self._close(self._error("engine_unavailable" if error.dead else "internal", "The engine failed."))
        except Exception:
            logger.exception("pump_failed", generation=self._id)
            self._close(self._error("internal", "The reply broke off."))
        finally:
            await self._let_go(outputs)

    async def _follow(self, outputs: Outputs) -> End:
        async for output in outputs:
            self._take(output)
            if output.finish is not None:
                return self._finished(output.finish)
        raise RuntimeError("the engine's outputs ended without a finish")

    def _take(self, output: EngineOutput) -> None:
        if output.times is not None:
            for name in ("scheduled", "first_token"):
                at = getattr(output.times, name)
                if at is not None:
                    self._timeline.mark(name, at)
        self._cached_tokens = max(self._cached_tokens, output.cached_tokens)
        at = now()
        if output.text:
            self._timeline.mark("first_text", at)
        self._log.append(output.text, output.tokens, at)

    def _finished(self, finish: EngineFinish) -> End:
        if finish == "abort" and self._why == "abandoned":
            return self._error("gone", "Nobody was reading, so the reply was given up.")
        if finish == "abort" and self._why is None:
            return self._error("engine_unavailable", "The engine gave the reply up.")
        return Done(
            seq=self._log.seq,
            finish_reason="stopped" if finish == "abort" else finish,
            usage=Usage(self._prompt_tokens, self._log.seq, self._cached_tokens),
            timing=self._timeline.marks,
            sha256=self._log.sha256,
        )

    def _error(self, kind: ErrorType, message: str) -> Error:
        return Error(seq=self._log.seq, type=kind, message=message, retryable=True)

    def _close(self, end: End) -> None:
        self._timeline.mark("finished")
        self._log.close(end)

    async def _let_go(self, outputs: Outputs) -> None:
        """Have the engine forget the reply, in a task of its own: no cancellation may cut that short."""
        # Kept in an attribute: the loop itself holds its tasks weakly.
        self._closing = asyncio.create_task(self._quietly(outputs.aclose()), name=f"close {self._id}")
        await asyncio.shield(self._closing)
        if self._aborting is not None:
            await asyncio.shield(self._aborting)

    async def _quietly(self, farewell: Awaitable[None]) -> None:
        try:
            await farewell
        except Exception:
            logger.exception("engine_did_not_let_go", generation=self._id)
