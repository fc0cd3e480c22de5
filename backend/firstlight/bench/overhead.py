"""What First Light adds to the engine's own time to first token.

One process, one engine, turn by turn: the same question through the whole route, over a kept loopback connection (the
request's first byte out to the first delta in), and the same token ids handed straight to the engine (call to first
output). The settings in force choose the engine; with vLLM "straight" means its own `AsyncLLM.generate`.

On a CPU the computation itself varies by more than all that the route does. `ttft_added_outside_ms_p50` is therefore
the same difference of what remains of each TTFT without it (the engine core's own marks, scheduled to first token).
"""

from __future__ import annotations

import asyncio
import secrets
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple, Self

import msgspec
import uvloop

from firstlight import connection, logs, settings
from firstlight.app import create_app
from firstlight.bench.figures import Report, percentile, report, table
from firstlight.engine.build import build
from firstlight.engine.protocol import Engine, EngineOutput, EngineRequest, EngineTimes, Sampling
from firstlight.engine.vllm import Vllm
from firstlight.errors import StartError
from firstlight.routing import Service
from firstlight.wire import ChatRequest, Done, Message

_QUESTION = (Message("user", "Hello"),)
_TOKENS = 8


def measure(quick: bool) -> Report:
    """Figures `ttft_added_ms_p50`, `_p95`, `ttft_added_outside_ms_p50`, what they are made of, and the first reply's.

    `first_over_next_ten` is the first TTFT after readiness over the median of the next ten. Raises StartError.
    """
    logs.configure(settings.Logs(level="warning"))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        routed, direct = runner.run(_measure(settings.load(), rounds=12 if quick else 60))
    figures = {
        "ttft_added_ms_p50": _p50(routed) - _p50(direct),
        "ttft_added_ms_p95": _p95(routed) - _p95(direct),
        "ttft_added_outside_ms_p50": _outside(routed) - _outside(direct),
        "route_ttft_ms_p50": _p50(routed),
        "route_ttft_ms_p95": _p95(routed),
        "direct_ttft_ms_p50": _p50(direct),
        "direct_ttft_ms_p95": _p95(direct),
        "first_over_next_ten": routed[0].ms / _p50(routed[1:11]),
    }
    rows = [
        ("the whole route", _p50(routed), _p95(routed), _outside(routed)),
        ("the engine called directly", _p50(direct), _p95(direct), _outside(direct)),
    ]
    columns = ["TTFT, ms", "p50", "p95", "p50 without the computation"]
    return report("overhead", figures, ["litestar", "uvicorn"], table(columns, rows))


class _Ttft(NamedTuple):
    """A time to first token, and how much of it the engine's core computed (scheduled to first token)."""

    ms: float
    computed_ms: float


def _p50(times: Sequence[_Ttft]) -> float:
    return statistics.median(time.ms for time in times)


def _p95(times: Sequence[_Ttft]) -> float:
    return percentile([time.ms for time in times], 0.95)


def _outside(times: Sequence[_Ttft]) -> float:
    return statistics.median(time.ms - time.computed_ms for time in times)


async def _measure(chosen: settings.Settings, rounds: int) -> tuple[list[_Ttft], list[_Ttft]]:
    chosen = msgspec.structs.replace(
        chosen,
        connection=msgspec.structs.replace(chosen.connection, port=0),
        admission=msgspec.structs.replace(chosen.admission, burst=10_000, rate=10_000.0),
    )
    engine = build(chosen)
    routed: list[_Ttft] = []
    direct: list[_Ttft] = []
    async with _Served(chosen, engine) as served:
        ids = await engine.renderer.render(_QUESTION)
        for round_ in range(rounds):
            # Who goes first alternates, so that neither always finds the engine just woken by the other; the very first
            # reply after readiness is one through the route.
            for through_route in (False, True) if round_ % 2 else (True, False):
                if through_route:
                    routed.append(await served.ttft())
                else:
                    direct.append(await _direct_ttft(engine, ids))
    return routed, direct


async def _direct_ttft(engine: Engine, ids: list[int]) -> _Ttft:
    request = EngineRequest(f"direct-{secrets.token_hex(8)}", ids, Sampling(_TOKENS), cache_salt="bench")
    began = time.perf_counter()
    outputs = engine.direct(request) if isinstance(engine, Vllm) else await engine.generate(request)
    output = await anext(outputs)
    first = time.perf_counter()
    async for _ in outputs:
        pass
    if isinstance(output, EngineOutput):
        marks = output.times or EngineTimes()
        computed = (marks.first_token or 0.0) - (marks.scheduled or 0.0)
    else:
        computed = output.metrics.first_token_ts - output.metrics.scheduled_ts
    return _Ttft((first - began) * 1_000, computed * 1_000)


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

    async def ttft(self) -> _Ttft:
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
        return _Ttft((first - began) * 1_000, _computed_ms(answer))


def _computed_ms(answer: bytes) -> float:
    """From the marks on the terminal event of a whole, uncompressed answer."""
    data = answer.rpartition(b"event: done")[2].partition(b"data: ")[2].partition(b"\n")[0]
    marks = msgspec.json.decode(data, type=Done).timing
    return (marks.first_token or 0.0) - (marks.scheduled or 0.0)
