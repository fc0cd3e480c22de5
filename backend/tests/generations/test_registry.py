"""The registry: whose reply it is, how many may run, how long and how much is kept, and how all of it ends."""

from __future__ import annotations

import asyncio

import pytest

from firstlight.errors import Draining, Gone, NotFound, Overloaded
from firstlight.generations import Generation, registry
from firstlight.wire import Done, Error, Stopped
from tests.replies import ANN, BOB, Desk, Faults, Faulty, desk, read


async def finished(at: Desk, text: str = "Hello") -> Generation:
    generation = await at.ask(text)
    await read(generation)
    await asyncio.wait([generation.task])
    await asyncio.sleep(0)
    return generation


async def test_its_user_finds_a_reply_while_it_runs_and_afterwards() -> None:
    async with desk() as at:
        generation = await at.ask()
        assert at.registry.get(generation.id, ANN) is generation
        await read(generation)
        await at.quiet()
        assert at.registry.get(generation.id, ANN) is generation


async def test_another_s_reply_is_like_one_that_never_was() -> None:
    async with desk() as at:
        generation = await at.ask("endless")
        for wanted in (generation.id, "gen-never"):
            with pytest.raises(NotFound) as missing:
                at.registry.get(wanted, BOB)
            assert missing.value.detail == "There is no such reply."
            with pytest.raises(NotFound):
                await at.registry.stop(wanted, BOB)
        assert generation.log.end is None


async def test_a_stop_is_answered_the_same_however_often_and_whenever() -> None:
    async with desk() as at:
        running, done = await at.ask("endless"), await finished(at)
        for _ in range(3):
            assert await at.registry.stop(running.id, ANN) == Stopped(running.id, "stopped")
            assert await at.registry.stop(done.id, ANN) == Stopped(done.id, "finished")
            await at.quiet()


async def test_one_reply_more_than_may_run_is_refused_and_a_place_comes_free_again() -> None:
    async with desk(max_running=2) as at:
        running = [await at.ask("endless") for _ in range(2)]
        with pytest.raises(Overloaded) as refusal:
            await at.ask()
        assert (refusal.value.limit, refusal.value.retry_after) == (2, 1)
        await running[0].stop()
        await asyncio.wait([running[0].task])
        await finished(at)


@pytest.mark.parametrize(("max_kept", "total_bytes"), [(2, 10_000), (10, 400)])
async def test_over_a_bound_the_oldest_finished_reply_is_gone_and_never_a_running_one(
    max_kept: int, total_bytes: int
) -> None:
    async with desk(max_kept=max_kept, total_bytes=total_bytes) as at:
        running = await at.ask("endless")
        with running.reader():
            replies = [await finished(at) for _ in range(3)]
            assert 400 / 3 < replies[0].log.bytes <= 400 / 2
            with pytest.raises(Gone):
                at.registry.get(replies[0].id, ANN)
            with pytest.raises(NotFound):
                at.registry.get(replies[0].id, BOB)
            assert [at.registry.get(reply.id, ANN) for reply in replies[1:]] == replies[1:]
            assert at.registry.get(running.id, ANN) is running


async def test_ids_of_evicted_replies_are_forgotten_in_their_turn() -> None:
    async with desk(max_kept=1) as at:
        replies = [await finished(at) for _ in range(3)]
        with pytest.raises(NotFound):
            at.registry.get(replies[0].id, ANN)
        with pytest.raises(Gone):
            at.registry.get(replies[1].id, ANN)


async def test_a_finished_reply_is_gone_when_its_time_is_over() -> None:
    time = [100.0]
    async with desk(clock=lambda: time[0], keep_s=600) as at:
        generation = await finished(at)
        time[0] += 599
        assert at.registry.get(generation.id, ANN) is generation
        time[0] += 1
        with pytest.raises(Gone):
            at.registry.get(generation.id, ANN)


@pytest.mark.parametrize("slow_s", [0.0, 0.02])
async def test_a_drain_ends_every_reply_at_once_and_lets_none_start(slow_s: float) -> None:
    engine = Faulty(Faults(slow_s=slow_s))
    async with desk(engine) as at:
        done = await finished(at)
        replies = [await at.ask("endless") for _ in range(20)]
        readers = [asyncio.create_task(read(reply)) for reply in replies]
        await replies[-1].log.wait(2)
        draining = asyncio.create_task(at.registry.drain())
        for reply, (_, end) in zip(replies, await asyncio.gather(*readers), strict=True):
            assert end == Error(reply.log.seq, "draining", "The server is shutting down.", retryable=True)
        with pytest.raises(Draining):
            await at.ask()
        await draining
        assert (at.registry.running(), engine.running()) == (0, 0)
        assert isinstance(done.log.end, Done)


async def test_an_engine_that_does_not_let_go_holds_a_drain_up_for_a_while_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_LET_GO_S", 0.05)
    async with desk(Faulty(Faults(slow_s=1.0))) as at:
        reply = await at.ask("endless")
        await at.registry.drain()
        assert isinstance(reply.log.end, Error)
        assert not reply.task.done()
        await asyncio.wait([reply.task])
