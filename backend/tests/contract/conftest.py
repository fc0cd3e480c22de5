"""The engines that the contract is held against. Each starts once, and at its end the contract of `stop` is checked."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio

from firstlight import settings
from firstlight.engine.build import build
from firstlight.engine.protocol import Engine, EngineRequest, Sampling
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Scenario
from firstlight.errors import EngineFailed, EngineUnavailable

STORY = "Once upon a time there was a light that came first, and it told each who asked how long it had taken. "
SCENARIO = {
    "max_model_len": 512,
    "slots": 8,
    "first_ms": 10,
    "step_ms": 2,
    "prefill_ms_per_token": 0.01,
    "replies": [
        {"prefix": "Say 東京", "script": [{"text": "東京 "}, {"pieces": ["", "👋", "", "🏽"]}, {"text": "é\n"}]},
        {"prefix": "Count", "script": [{"text": "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ", "repeat": 100}]},
        {"script": [{"text": STORY, "repeat": 100}]},
    ],
}
VLLM = settings.Settings(
    engine=settings.Engine(
        kind="vllm", model=settings.load().engine.model, max_model_len=512, max_num_seqs=8, kv_cache_gib=1
    )
)
"""The small model, or that of FIRSTLIGHT_ENGINE__MODEL: so the same suite runs on a GPU host."""

# The engine's own and its libraries' warnings are not ours to fix.
REAL = [pytest.mark.engine, pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]


def make(kind: str) -> Engine:
    if kind == "vllm":
        return build(VLLM)
    return Scripted(msgspec.convert({**SCENARIO, "child": kind == "scripted-child"}, Scenario))


@pytest_asyncio.fixture(
    scope="session", loop_scope="session", params=["scripted", "scripted-child", pytest.param("vllm", marks=REAL)]
)
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    engine = make(request.param)
    await engine.start()
    assert (await engine.health()).state == "ready"
    yield engine
    prompt = EngineRequest("late", [300] * 10, Sampling(max_tokens=1000), "salt")
    late = await engine.generate(prompt)
    await engine.stop()
    await engine.stop()
    assert (await engine.health()).state == "stopped"
    assert engine.running() == 0
    with pytest.raises(EngineFailed) as failed:
        _ = [output async for output in late]
    assert failed.value.dead
    with pytest.raises(EngineUnavailable):
        await engine.generate(prompt)
