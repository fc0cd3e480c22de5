"""The composition root: ready only after a real reply, and a start that fails says so once."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from firstlight import settings
from firstlight.app import create_app
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from firstlight.errors import StartError
from firstlight.routing import Service
from tests.live import QUICK


class Unloadable(Scripted):
    """An engine whose start fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__(QUICK)
        self._error = error

    async def start(self) -> None:
        raise self._error


async def start(engine: Scripted) -> float:
    """Start an application; returns the warm-up's time to its first byte. Raises what the start failed with."""
    outcome: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    app = create_app(settings.Settings(), engine, outcome.set_result, outcome.set_exception)
    async with app.lifespan():
        await asyncio.wait([outcome])
    return outcome.result()


async def test_ready_comes_after_replies_in_both_codings_have_passed_all_stages() -> None:
    engine, asked = Scripted(msgspec.structs.replace(QUICK, first_ms=30)), []
    generate = engine.generate

    async def counted(request):  # type: ignore[no-untyped-def]
        asked.append(request.sampling.max_tokens)
        return await generate(request)

    engine.generate = counted  # type: ignore[method-assign]
    assert await start(engine) >= 30
    assert asked == [3, 3]
    assert engine.running() == 0


async def test_an_engine_that_cannot_start_is_reported_in_its_own_words() -> None:
    with pytest.raises(StartError, match=r"^no GPU: use the CPU build$"):
        await start(Unloadable(StartError("no GPU: use the CPU build")))


async def test_an_engine_that_breaks_while_it_starts_is_reported_in_one_line() -> None:
    with pytest.raises(StartError, match=r"^the engine did not start \(OSError\('broken'\)\); the log above has more$"):
        await start(Unloadable(OSError("broken")))


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (Step(text="One", fail="out of memory"), "the warm-up reply failed: The engine failed."),
        (Step(die=True), "the warm-up reply failed: The engine failed."),
    ],
)
async def test_an_engine_whose_first_reply_fails_never_becomes_ready(script: Step, reason: str) -> None:
    with pytest.raises(StartError, match=f"^{reason}$"):
        await start(Scripted(Scenario(replies=(Reply(script=(script,)),))))


async def test_an_engine_that_refuses_the_first_prompt_never_becomes_ready() -> None:
    tiny = Scenario(max_model_len=3, replies=(Reply(script=(Step(text="One"),)),))
    with pytest.raises(StartError, match=r"^the warm-up reply was refused: The conversation has "):
        await start(Scripted(tiny))


async def test_a_start_that_is_under_way_ends_with_the_application() -> None:
    before = asyncio.all_tasks()
    engine = Scripted(msgspec.structs.replace(QUICK, start_ms=60_000))
    app = create_app(settings.Settings(), engine, pytest.fail, pytest.fail)
    async with app.lifespan():
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_a_server_that_is_told_to_stop_during_its_first_reply_has_not_failed() -> None:
    app = create_app(settings.Settings(), Scripted(msgspec.structs.replace(QUICK, first_ms=60_000)), print, pytest.fail)
    service: Service = app.state.service
    async with app.lifespan():
        while service.registry.running() == 0:
            await asyncio.sleep(0.001)
        await service.drain()
    assert service.state == "draining"
