"""What every test folder may use: the scripted engine with a scenario written in the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import hypothesis
import msgspec
import pytest

from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Scenario

# A busy machine is no failure: what a test must do in time, it measures itself.
hypothesis.settings.register_profile("busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("busy")

StartScripted = Callable[..., Awaitable[Scripted]]


@pytest.fixture
async def scripted() -> AsyncIterator[StartScripted]:
    """`await scripted(step_ms=5, replies=[{"script": [{"text": "Hi"}]}])`: a running engine, stopped after the test."""
    engines: list[Scripted] = []

    async def start(**scenario: object) -> Scripted:
        engine = Scripted(msgspec.convert(scenario, Scenario))
        engines.append(engine)
        await engine.start()
        return engine

    yield start
    for engine in engines:
        await engine.stop()
