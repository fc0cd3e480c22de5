"""What First Light adds to the engine's own time to first token.

One process, one engine, turn by turn: the same question through the whole route, over a kept loopback connection (the
request's first byte out to the first delta in), and the same token ids handed straight to the engine (call to first
output). The settings in force choose the engine; with vLLM "straight" means its own `AsyncLLM.generate`.
"""

from __future__ import annotations

import asyncio
import secrets
import statistics
import time
from typing import Self

import msgspec
import uvloop

from firstlight import connection, logs, settings
from firstlight.app import create_app
from firstlight.bench.figures import Report, percentile, report, table
from firstlight.engine.build import build
from firstlight.engine.protocol import Engine, EngineRequest, Sampling
from firstlight.engine.vllm import Vllm
from firstlight.errors import StartError
from firstlight.routing import Service
from firstlight.wire import ChatRequest, Message

_QUESTION = (Message("user", "Hello"),)
_TOKENS = 8


def measure(quick: bool) -> Report:
    """Figures `ttft_added_ms_p50`, `ttft_added_ms_p95`, what they are made of, and how the first reply compares.

    `first_over_next_ten` is the first TTFT after readiness over the median of the next ten. Raises StartError.
    """
    logs.configure(settings.Logs(level="warning"))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        routed, direct = runner.run(_measure(settings.load(), rounds=12 if quick else 60))
    added = [through - straight for through, straight in zip(routed, direct, strict=True)]
    figures = {
        "ttft_added_ms_p50": statistics.median(routed) - statistics.median(direct),
        "ttft_added_ms_p95": percentile(routed, 0.95) - percentile(direct, 0.95),
        "ttft_added_pairwise_ms_p50": statistics.median(added),
        "route_ttft_ms_p50": statistics.median(routed),
        "route_ttft_ms_p95": percentile(routed, 0.95),
        "direct_ttft_ms_p50": statistics.median(direct),
        "direct_ttft_ms_p95": percentile(direct, 0.95),
        "first_over_next_ten": routed[0] / statistics.median(routed[1:11]),
    }
    rows = [
        ("the whole route", statistics.median(routed), percentile(routed, 0.95)),
        ("the engine called directly", statistics.median(direct), percentile(direct, 0.95)),
    ]
    return report("overhead", figures, ["litestar", "uvicorn"], table(["TTFT, ms", "p50", "p95"], rows))


async def _measure(chosen: settings.Settings, rounds: int) -> tuple[list[float], list[float]]:
    chosen = msgspec.structs.replace(
        chosen,
        connection=msgspec.structs.replace(chosen.connection, port=0),
        admission=msgspec.structs.replace(chosen.admission, burst=10_000, rate=10_000.0),
    )
    engine = build(chosen)
    routed: list[float] = []
    direct: list[float] = []
    async with _Served(chosen, engine) as served:
        ids = await engine.renderer.render(_QUESTION)
        for round_ in range(rounds):
            # Who goes first alternates, so that neither always finds the engine just woken by the other; the very first
            # reply after readiness is one through the route.
            for through_route in (False, True) if round_ % 2 else (True, False):
                if through_route:
                    routed.append(await served.ttft_ms())
                else:
                    direct.append(await _direct_ttft_ms(engine, ids))
    return routed, direct


async def _direct_ttft_ms(engine: Engine, ids: list[int]) -> float:
    request = EngineRequest(f"direct-{secrets.token_hex(8)}", ids, Sampling(_TOKENS), cache_salt="bench")
    began = time.perf_counter()
    outputs = engine.direct(request) if isinstance(engine, Vllm) else await engine.generate(request)
    await anext(outputs)
    first = time.perf_counter()
    async for _ in outputs:
        pass
    return (first - began) * 1_000


class _Served:
    """The whole server on a free loopback port, and one kept connection to it."""

    def __init__(self, chosen: settings.Settings, engine: Engine) -> None:
        self._chosen = chosen
        self._stop = connection.Stop()
        self._ready: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._app = create_app(chosen, engine, self._ready.set_result, self._ready.set_exception)

    async def __aenter__(self) -> Self:
        listener = connection.bind(self._chosen.connection)
        self._serving = asyncio.create_task(
            connection.serve(self._app, self._chosen.connection, listener, stop=self._stop)
        )
        try:
            await self._ready
        except StartError:
            await self.__aexit__()
            raise
        self._reader, self._writer = await asyncio.open_connection(*listener.getsockname()[:2])
        service: Service = self._app.state.service
        body = msgspec.json.encode(ChatRequest(_QUESTION, max_tokens=_TOKENS))
        self._request = (
            b"POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            b"accept-encoding: identity\r\nauthorization: Bearer %b\r\ncontent-length: %d\r\n\r\n%b"
        ) % (service.admission.guest().access_token.encode(), len(body), body)
        return self

    async def __aexit__(self, *_: object) -> None:
        if hasattr(self, "_writer"):
            self._writer.close()
        self._stop.ask()
        await self._serving

    async def ttft_ms(self) -> float:
        """One request; milliseconds from its first byte out to the end of the first delta in."""
        began = time.perf_counter()
        self._writer.write(self._request)
        answer = b""
        first = None
        while not answer.endswith(b"0\r\n\r\n"):
            data = await self._reader.read(65_536)
            if not data:
                raise StartError("the server closed the connection while it was measured")
            answer += data
            if first is None and b"event: delta" in answer:
                first = time.perf_counter()
        if first is None:
            raise StartError(f"the server did not answer: {answer[:200]!r}")
        return (first - began) * 1_000
