"""The scripted engine as a whole, in the process and as a child that gets real signals."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from firstlight.engine.protocol import EngineOutput, EngineRequest, Health, Outputs, Sampling
from firstlight.engine.scripted.child import serve
from firstlight.engine.scripted.core import Add, Event, Said
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.frames import Inbox, pack
from firstlight.engine.scripted.scenario import Scenario
from firstlight.errors import EngineFailed, EngineUnavailable, Overloaded, StartError
from firstlight.stages import now
from firstlight.wire import Message

StartScripted = Callable[..., Awaitable[Scripted]]

names = map(str, itertools.count())
both = pytest.mark.parametrize("child", [False, True], ids=["local", "child"])

FOREVER = [{"script": [{"text": "on ", "repeat": 1_000_000}]}]
ABC = [{"script": [{"pieces": ["a", "b", "c"]}]}]


async def ask(engine: Scripted, text: str = "?", priority: int = 0) -> Outputs:
    ids = await engine.renderer.render([Message("user", text)])
    return await engine.generate(EngineRequest(next(names), ids, Sampling(10_000_000), "salt", priority))


async def read(outputs: Outputs) -> str:
    return "".join([output.text async for output in outputs])


async def read_until_dead(outputs: Outputs) -> str:
    """The text up to the engine's death."""
    text = ""
    try:
        async for output in outputs:
            text += output.text
    except EngineFailed as failed:
        if failed.dead:
            return text
    raise AssertionError("the engine did not die")


def pid_of(engine: Scripted) -> int:
    assert engine.pid is not None
    return engine.pid


def alive(pid: int) -> bool:
    """Whether the process is there, and not only as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@both
async def test_outputs_come_at_their_moment_and_never_before(scripted: StartScripted, child: bool) -> None:
    engine = await scripted(
        child=child, first_ms=30, step_ms=5, replies=[{"script": [{"pieces": ["."], "repeat": 20}]}]
    )
    outputs = await ask(engine)
    first = await anext(outputs)
    arrivals = [now(), *[now() async for _ in outputs]]
    assert first.times is not None
    assert first.times.scheduled is not None
    assert first.times.first_token == pytest.approx(first.times.scheduled + 0.030, abs=1e-9)
    late = [at - (first.times.scheduled + 0.030 + 0.005 * index) for index, at in enumerate(arrivals)]
    assert len(late) == 20
    assert min(late) >= -1e-9


@both
async def test_a_scripted_death_fails_every_reply_and_a_new_start_works(scripted: StartScripted, child: bool) -> None:
    replies = [{"exact": "die", "script": [{"pieces": ["a", "b"]}, {"die": True}]}, *FOREVER]
    engine = await scripted(child=child, step_ms=5, replies=replies)
    dying, other = await ask(engine, "die"), await ask(engine)
    assert await read_until_dead(dying) == "ab"
    assert (await read_until_dead(other)).startswith("on")
    assert (await engine.health()).state == "failed"
    assert engine.running() == 0
    with pytest.raises(EngineUnavailable):
        await ask(engine)
    await engine.start()
    assert await engine.health() == Health("ready")
    assert (await anext(await ask(engine))).text == "on"


@both
async def test_a_scripted_failure_ends_one_reply_only(scripted: StartScripted, child: bool) -> None:
    engine = await scripted(
        child=child, step_ms=5, replies=[{"exact": "fail", "script": [{"fail": "no memory"}]}, *ABC]
    )
    failing, other = await ask(engine, "fail"), await ask(engine)
    with pytest.raises(EngineFailed, match="no memory") as failed:
        await read(failing)
    assert not failed.value.dead
    assert await read(failing) == ""
    assert await read(other) == "abc"
    assert engine.running() == 0


@both
async def test_a_full_queue_refuses_and_takes_again_when_a_reply_has_ended(
    scripted: StartScripted, child: bool
) -> None:
    engine = await scripted(child=child, slots=1, queue=1, replies=FOREVER)
    running, _waiting = await ask(engine), await ask(engine)
    with pytest.raises(Overloaded) as refused:
        await ask(engine)
    assert (refused.value.limit, refused.value.retry_after) == (2, 1)
    await running.aclose()
    await ask(engine)
    assert engine.running() == 2


@both
async def test_a_waiting_prompt_of_lower_value_is_served_first(scripted: StartScripted, child: bool) -> None:
    replies = [{"exact": "hold", **FOREVER[0]}, *ABC]
    engine = await scripted(child=child, slots=1, first_ms=1, step_ms=1, replies=replies)
    order: list[str] = []

    async def note(name: str, outputs: Outputs) -> None:
        await read(outputs)
        order.append(name)

    holder = await ask(engine, "hold")
    waiting = [note(name, await ask(engine, name, priority)) for name, priority in (("low", 5), ("high", -5))]
    await holder.aclose()
    await asyncio.gather(*waiting)
    assert order == ["high", "low"]


@both
async def test_stop_fails_the_replies_under_way(scripted: StartScripted, child: bool) -> None:
    engine = await scripted(child=child, replies=FOREVER)
    outputs, pid = await ask(engine), engine.pid
    await engine.stop()
    await read_until_dead(outputs)
    assert await engine.health() == Health("stopped", "it was stopped")
    assert engine.pid is None
    assert pid is None or not alive(pid)


async def test_until_it_has_started_it_takes_nothing() -> None:
    engine = Scripted(msgspec.convert({"start_ms": 50, "replies": ABC}, Scenario))
    with pytest.raises(EngineUnavailable, match="it was not started"):
        await ask(engine)
    starting = asyncio.create_task(engine.start())
    await asyncio.sleep(0)
    assert (await engine.health()).state == "starting"
    with pytest.raises(EngineUnavailable, match="it is starting"):
        await ask(engine)
    await starting
    assert await read(await ask(engine)) == "abc"


async def test_a_killed_child_fails_all_replies_and_the_reason_names_the_signal(scripted: StartScripted) -> None:
    engine = await scripted(child=True, step_ms=5, slots=100, replies=FOREVER)
    replies = [await ask(engine) for _ in range(50)]
    await anext(replies[-1])
    os.kill(pid_of(engine), signal.SIGKILL)
    texts = await asyncio.wait_for(asyncio.gather(*map(read_until_dead, replies)), 10)
    assert all(text.startswith("on") for text in texts[:-1])
    assert await engine.health() == Health("failed", "its process ended by SIGKILL")


async def test_a_stopped_child_says_nothing_and_still_can_be_ended(scripted: StartScripted) -> None:
    engine = await scripted(child=True, step_ms=5, replies=[{"script": [{"pieces": ["."], "repeat": 20}]}])
    outputs, pid = await ask(engine), pid_of(engine)
    await anext(outputs)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(read(outputs), 0.5)
    assert await engine.health() == Health("ready")
    await engine.stop()
    assert not alive(pid)


async def test_the_child_has_a_session_of_its_own(scripted: StartScripted) -> None:
    engine = await scripted(child=True, replies=ABC)
    assert os.getsid(pid_of(engine)) == engine.pid != os.getsid(0)


async def test_a_child_that_does_not_come_up_is_a_start_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    engine = Scripted(msgspec.convert({"child": True, "replies": ABC}, Scenario))
    with pytest.raises(StartError, match="the scripted engine did not start: its process ended by exit code 1"):
        await engine.start()
    assert (await engine.health()).state == "failed"
    await engine.stop()


OWNER = """
import asyncio, sys
import msgspec
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Scenario

async def main():
    engine = Scripted(msgspec.convert({"child": True, "replies": [{"script": [{"text": "a"}]}]}, Scenario))
    await engine.start()
    print(engine.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("first", [[], [signal.SIGSTOP]], ids=["running", "stopped"])
async def test_the_child_ends_with_its_parent(first: list[signal.Signals]) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        child = int(await asyncio.to_thread(owner.stdout.readline))
        for number in first:
            os.kill(child, number)
        assert alive(child)
        owner.kill()
    deadline = now() + 10
    while alive(child) and now() < deadline:
        await asyncio.sleep(0.01)
    assert not alive(child)


def test_the_child_serves_on_its_pipe_until_the_other_end_closes() -> None:
    ours, theirs = socket.socketpair()
    server = threading.Thread(target=serve, args=(theirs,))
    server.start()
    add = Add(EngineRequest("x", [300], Sampling(10), "salt"))
    stream = pack(msgspec.convert({"first_ms": 1, "step_ms": 1, "replies": ABC}, Scenario)) + pack(add)
    for at in range(0, len(stream), 7):
        ours.sendall(stream[at : at + 7])
    inbox, lists = Inbox(), list[list[Event]]()
    while not lists or not any(isinstance(e, Said) and e.output.finish for e in lists[-1]):
        lists += [msgspec.msgpack.decode(body, type=list[Event]) for body in inbox.feed(ours.recv(4096))]
    ours.close()
    server.join()
    theirs.close()
    said = [event.output for events in lists for event in events if isinstance(event, Said)]
    assert lists[0] == []
    assert said[1:] == [EngineOutput("b", 1), EngineOutput("c", 1, "stop")]
