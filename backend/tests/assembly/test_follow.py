"""One reader of one reply, over a real generation: at its own pace, gone in every way, nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn

import pytest

from firstlight import settings
from firstlight.admission import Admission
from firstlight.assembly import IDENTITY, Assembly, Follow
from firstlight.decode import Decode
from firstlight.engine.scripted.engine import Scripted
from firstlight.errors import Gone, InvalidRequest, ReaderLeft
from firstlight.generations import Generation, Registry
from firstlight.prefill import Prefill
from firstlight.stages import Timeline, now
from tests.live import event


class Stages:
    """Stages 4 to 7 over a scripted engine."""

    def __init__(self, engine: Scripted, log_bytes: int) -> None:
        self.engine = engine
        self.registry = Registry(settings.Generations(log_bytes=log_bytes))
        self._admission = Admission(settings.Admission())
        self._prefill = Prefill(engine, 1_000)
        self._decode = Decode(engine, self.registry)
        self.assembly = Assembly(settings.Assembly(), self.registry.running, lambda _, send: send)

    async def reply(self) -> Generation:
        body = b'{"messages":[{"role":"user","content":"Hello"}]}'
        token = f"Bearer {self._admission.guest().access_token}"
        admitted = self._admission.admit(token, body, Timeline(now()))
        return await self._decode.decode(await self._prefill.prefill(admitted))


Begin = Callable[..., Awaitable[Stages]]


@pytest.fixture
async def begin(scripted: Callable[..., Awaitable[Scripted]]) -> AsyncIterator[Begin]:
    """`await begin([{"text": "Hi"}], first_ms=1)`: stages over an engine that plays this script; drained at the end."""
    begun: list[Stages] = []

    async def start(script: list[dict[str, Any]], log_bytes: int = 100_000, **scenario: object) -> Stages:
        begun.append(Stages(await scripted(replies=[{"script": script}], **scenario), log_bytes))
        return begun[-1]

    yield start
    for stages in begun:
        await stages.registry.drain()


class Socket:
    """A client that takes what is sent, while `open`, and leaves when told."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.arrived = asyncio.Event()
        self.left = asyncio.Event()
        self._asked = 0

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        self.arrived.set()
        await self.open.wait()

    async def receive(self) -> dict[str, Any]:
        self._asked += 1
        if self._asked < 3:
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    def events(self) -> list[tuple[str, Any]]:
        data = b"".join(message.get("body", b"") for message in self.sent)
        return [event(block) for block in data.removesuffix(b"\n\n").split(b"\n\n")]


async def run(follow: Follow, socket: Socket) -> None:
    before = asyncio.all_tasks()
    await follow({}, socket.receive, socket.send)
    assert asyncio.all_tasks() <= before


async def test_the_last_message_ends_the_response_and_no_task_is_left(begin: Begin) -> None:
    stages, socket = await begin([{"text": "One two"}], first_ms=1, step_ms=1), Socket()
    await run(stages.assembly.assemble(await stages.reply(), IDENTITY), socket)
    assert [message.get("more_body") for message in socket.sent] == [None, *[True] * (len(socket.sent) - 2), False]
    assert [name for name, _ in socket.events()][0 :: len(socket.events()) - 1] == ["start", "done"]


async def test_the_last_delta_and_the_end_go_out_as_one_message(begin: Begin) -> None:
    stages, socket = await begin([{"text": "One"}], first_ms=1, step_ms=1), Socket()
    await run(stages.assembly.assemble(await stages.reply(), IDENTITY), socket)
    assert socket.sent[-1]["body"].startswith(b"event: delta\n")
    assert b"\n\nevent: done\n" in socket.sent[-1]["body"]


async def test_f04_a_reader_that_stalls_gets_what_it_missed_in_one_event(begin: Begin) -> None:
    script = [{"text": "word " * 200}]
    stages, socket = await begin(script, first_ms=1, step_ms=0.1), Socket()
    generation = await stages.reply()
    socket.open.clear()
    reading = asyncio.create_task(run(stages.assembly.assemble(generation, IDENTITY), socket))
    await socket.arrived.wait()
    await asyncio.wait([generation.task])
    socket.open.set()
    await reading
    deltas = [data for name, data in socket.events() if name == "delta"]
    assert [delta["tokens"] for delta in deltas] == [1, generation.log.seq - 1]
    assert "".join(delta["text"] for delta in deltas) == "word " * 200


async def test_e03_a_client_that_leaves_ends_the_reading_and_the_reply(begin: Begin) -> None:
    script = [{"text": "word ", "repeat": 10_000, "delay_ms": 1}]
    stages, socket = await begin(script), Socket()
    generation = await stages.reply()
    reading = asyncio.create_task(stages.assembly.assemble(generation, IDENTITY)({}, socket.receive, socket.send))
    await socket.arrived.wait()
    socket.left.set()
    await reading
    await asyncio.wait([generation.task])
    assert (stages.engine.running(), generation.log.readers) == (0, set())


async def test_a_socket_that_takes_nothing_more_ends_the_reading_in_silence(begin: Begin) -> None:
    async def broken(_: object) -> NoReturn:
        raise ReaderLeft("gone")

    stages, socket = await begin([{"text": "One"}]), Socket()
    generation = await stages.reply()
    await stages.assembly.assemble(generation, IDENTITY)({}, socket.receive, broken)
    assert generation.log.readers == set()


async def test_a_fault_while_sending_is_not_hidden(begin: Begin) -> None:
    async def broken(_: object) -> NoReturn:
        raise LookupError("a bug")

    stages, socket = await begin([{"text": "One"}]), Socket()
    generation = await stages.reply()
    with pytest.raises(LookupError, match="a bug"):
        await stages.assembly.assemble(generation, IDENTITY)({}, socket.receive, broken)
    assert generation.log.readers == set()


async def test_a_reading_that_is_cancelled_leaves_no_task_and_no_reader(begin: Begin) -> None:
    stages, socket = await begin([{"text": "One"}], first_ms=10_000), Socket()
    generation, before = await stages.reply(), asyncio.all_tasks()
    reading = asyncio.create_task(stages.assembly.assemble(generation, IDENTITY)({}, socket.receive, socket.send))
    await socket.arrived.wait()
    reading.cancel()
    await asyncio.wait([reading])
    assert reading.cancelled()
    assert generation.log.readers == set()
    assert {task for task in asyncio.all_tasks() if "abort" not in task.get_name()} <= before


async def test_a_position_that_is_none_is_refused_before_the_first_byte(begin: Begin) -> None:
    script = [{"text": "word ", "repeat": 300, "delay_ms": 0}]
    stages, socket = await begin(script, log_bytes=1_000), Socket()
    generation = await stages.reply()
    await asyncio.wait([generation.task])
    with pytest.raises(InvalidRequest):
        await stages.assembly.assemble(generation, IDENTITY, 10_000)({}, socket.receive, socket.send)
    with pytest.raises(Gone):
        await stages.assembly.assemble(generation, IDENTITY)({}, socket.receive, socket.send)
    assert socket.sent == []


async def test_tokens_wait_longer_for_company_once_many_replies_run() -> None:
    limits = settings.Assembly(max_wait_ms=16, busy_wait_ms=50, busy_streams=3)
    running = [0, 2, 3, 4]
    assembly = Assembly(limits, lambda: running.pop(0), lambda _, send: send)
    assert [assembly.max_wait() for _ in range(4)] == [0.016, 0.016, 0.05, 0.05]
