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
from typing import NamedTuple

import uvloop

from firstlight import logs, settings
from firstlight.bench.figures import Report, percentile, report, table
from firstlight.bench.served import QUESTION, TOKENS, Answer, Served, free
from firstlight.engine.build import build
from firstlight.engine.protocol import Engine, EngineOutput, EngineRequest, EngineTimes, Sampling
from firstlight.engine.vllm import Vllm


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
    chosen = free(chosen)
    engine = build(chosen)
    routed: list[_Ttft] = []
    direct: list[_Ttft] = []
    async with Served(chosen, engine) as served:
        ids = await engine.renderer.render(QUESTION)
        for round_ in range(rounds):
            # Who goes first alternates, so that neither always finds the engine just woken by the other; the very first
            # reply after readiness is one through the route.
            for through_route in (False, True) if round_ % 2 else (True, False):
                if through_route:
                    routed.append(_routed(await served.ask()))
                else:
                    direct.append(await _direct_ttft(engine, ids))
    return routed, direct


async def _direct_ttft(engine: Engine, ids: list[int]) -> _Ttft:
    request = EngineRequest(f"direct-{secrets.token_hex(8)}", ids, Sampling(TOKENS), cache_salt="bench")
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


def _routed(answer: Answer) -> _Ttft:
    return _Ttft(answer.ttft_ms, (answer.marks.first_token or 0.0) - (answer.marks.scheduled or 0.0))
