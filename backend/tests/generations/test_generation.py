"""A generation's readers: they come, leave and come back; when the last one has left, the reply is given up."""

from __future__ import annotations

import asyncio
import random

import pytest

from firstlight.errors import InvalidRequest
from firstlight.generations import Generation, generation
from firstlight.wire import Error
from tests.replies import ANN, HELLO, Desk, Faults, Faulty, desk, read


async def given_up(reply: Generation) -> None:
    await asyncio.wait_for(asyncio.shield(reply.task), 5)
    end = reply.log.end
    assert isinstance(end, Error)
    assert (end.type, end.seq, end.retryable) == ("gone", reply.log.seq, True)


async def test_when_the_last_reader_leaves_the_reply_is_given_up() -> None:
    async with desk() as at:
        reply = await at.ask("endless")
        with reply.reader() as first:
            with reply.reader():
                await first.wait()
            await reply.log.wait(reply.log.seq + 3)
        await given_up(reply)
        assert at.engine.running() == 0


async def test_who_comes_back_within_the_grace_time_finds_the_reply_going_on() -> None:
    async with desk(grace_s=0.05) as at:
        reply = await at.ask("endless")
        for _ in range(3):
            with reply.reader(reply.log.seq) as reader:
                await reader.wait()
            await asyncio.sleep(0.02)
        with reply.reader():
            await asyncio.sleep(0.1)
            assert reply.log.end is None
        await given_up(reply)


async def test_a_reply_that_nobody_ever_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_FIRST_READER_S", 0.02)
    async with desk(grace_s=100) as at:
        await given_up(await at.ask("endless"))


async def test_a_position_that_is_none_is_refused_and_leaves_the_reply_as_it_was() -> None:
    async with desk() as at:
        reply = await at.ask("endless")
        with reply.reader() as reader:
            await reader.wait()
            with pytest.raises(InvalidRequest), reply.reader(10**9):
                pass
            await reader.wait()
            assert reply.log.end is None


async def test_readers_of_a_finished_reply_come_and_go() -> None:
    async with desk() as at:
        reply = await at.ask()
        whole, end = await read(reply)
        for piece in reply.log.read(0)[0]:
            rest, again = await read(reply, piece.seq)
            assert (whole.endswith(rest), again) == (True, end)
        assert whole == HELLO
        await asyncio.sleep(0)
        assert reply.log.end is end


@pytest.mark.parametrize("slow_s", [0.0, 0.005])
async def test_a_thousand_stops_and_leaves_at_any_moment_leave_nothing_running(
    slow_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "_FIRST_READER_S", 0.1)
    dice = random.Random(7)
    async with desk(Faulty(Faults(slow_s=slow_s)), max_running=2_000) as at:
        for _ in range(10):
            await asyncio.gather(*(race(at, dice) for _ in range(100)))
        await at.quiet()
        assert (at.registry.running(), at.engine.running()) == (0, 0)


async def race(at: Desk, dice: random.Random) -> None:
    """One user, who may be cut off at any moment."""
    using = asyncio.create_task(use(at, dice))
    if dice.random() < 0.5:
        await turns(dice)
        using.cancel()
    await asyncio.wait([using])
    assert using.cancelled() or using.exception() is None


async def use(at: Desk, dice: random.Random) -> None:
    """Ask, read a little or nothing, perhaps stop, perhaps not wait for the answer to that; leave."""
    reply = await at.ask(dice.choice(["endless", "Hello"]))
    await turns(dice)
    with reply.reader() as reader:
        for _ in range(dice.randrange(3)):
            await reader.wait()
            reader.read()
        if dice.random() < 0.5:
            stopping = asyncio.create_task(at.registry.stop(reply.id, ANN))
            await turns(dice)
            if dice.random() < 0.5:
                stopping.cancel()
            await asyncio.wait([stopping])


async def turns(dice: random.Random) -> None:
    for _ in range(dice.randrange(12)):
        await asyncio.sleep(0)


async def test_a_reply_is_over_when_it_has_its_end_and_its_first_text_has_left() -> None:
    async with desk() as at:
        reply, told = await at.ask(), list[Generation]()
        reply.when_over(told.append)
        await asyncio.wait([reply.task])
        assert told == []
        with reply.reader():
            reply.timeline.mark("first_byte")
            assert told == []
        assert told == [reply]
        with reply.reader():
            pass
        assert told == [reply]


async def test_a_reply_whose_first_text_left_before_its_end_is_over_with_it() -> None:
    async with desk() as at:
        reply, told = await at.ask(), list[Generation]()
        reply.when_over(told.append)
        with reply.reader():
            reply.timeline.mark("first_byte")
            await asyncio.wait([reply.task])
            assert told == [reply]


async def test_a_reply_without_text_is_over_with_its_end() -> None:
    async with desk() as at:
        reply, told = await at.ask("no text"), list[Generation]()
        reply.when_over(told.append)
        await asyncio.wait([reply.task])
        assert told == [reply]


async def test_a_reply_that_nobody_comes_for_is_over_once_nobody_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_FIRST_READER_S", 0.02)
    async with desk() as at:
        reply = await at.ask()
        over = asyncio.get_running_loop().create_future()
        reply.when_over(over.set_result)
        assert await asyncio.wait_for(over, 5) is reply
