"""The pump: whatever happens to engine, readers or server, a reply has exactly one end and the engine lets go of it."""

from __future__ import annotations

import asyncio
import hashlib

import msgspec
import pytest
from structlog.testing import capture_logs

from firstlight.errors import Draining, EngineFailed, EngineUnavailable
from firstlight.wire import Done, Error, Usage
from tests.replies import HELLO, Faults, Faulty, desk, read


async def test_a_reply_is_the_script_and_its_end_proves_it() -> None:
    async with desk() as at:
        generation = await at.ask()
        text, end = await read(generation)
        assert text == HELLO
        assert end == Done(
            seq=generation.log.seq,
            finish_reason="stop",
            usage=Usage(generation.prompt_tokens, generation.log.seq, 0),
            timing=generation.timeline.marks,
            sha256=hashlib.sha256(HELLO.encode()).hexdigest(),
        )
        assert (generation.model, len(generation.id)) == ("scripted-test", 36)


async def test_the_marks_of_the_engine_and_the_pump_are_in_order() -> None:
    async with desk() as at:
        generation = await at.ask()
        await read(generation)
        marks = generation.timeline.marks
        reached = [marks.accepted, marks.tokenised, marks.queued, marks.scheduled, marks.first_token, marks.finished]
        times = [time for time in reached if time is not None]
        assert len(times) == len(reached)
        assert times == sorted(times)


async def test_cached_tokens_are_counted() -> None:
    async with desk() as at:
        question = "The same long question, word by word, " * 10
        await read(await at.ask(question))
        generation = await at.ask(question)
        _, end = await read(generation)
        assert isinstance(end, Done)
        assert 0 < end.usage.cached_tokens < generation.prompt_tokens


@pytest.mark.parametrize(
    ("question", "text", "tokens", "reason"),
    [("no text", "", 2, "stop"), ("half letters", "aé", 5, "stop"), ("one token", "Hello", 1, "length")],
)
async def test_tokens_without_text_are_counted_and_no_text_is_a_reply_too(
    question: str, text: str, tokens: int, reason: str
) -> None:
    async with desk() as at:
        got, end = await read(await at.ask(question, max_tokens=tokens))
        assert isinstance(end, Done)
        assert (got, end.seq, end.usage.completion_tokens, end.finish_reason) == (text, tokens, tokens, reason)


async def test_a_stop_ends_the_reply_as_stopped_and_says_so_every_time() -> None:
    async with desk() as at:
        generation = await at.ask("endless")
        reading = asyncio.create_task(read(generation))
        await generation.log.wait(3)
        assert [await generation.stop() for _ in range(3)] == ["stopped"] * 3
        text, end = await reading
        assert isinstance(end, Done)
        assert (end.finish_reason, end.sha256) == ("stopped", hashlib.sha256(text.encode()).hexdigest())
        await at.quiet()
        assert await generation.stop() == "stopped"


async def test_a_reply_can_be_stopped_before_its_first_token() -> None:
    async with desk() as at:
        generation = await at.ask("late")
        await generation.stop()
        text, end = await read(generation)
        assert isinstance(end, Done)
        assert (text, end.seq, end.finish_reason) == ("", 0, "stopped")


async def test_a_stop_after_the_end_changes_nothing() -> None:
    async with desk() as at:
        generation = await at.ask()
        _, end = await read(generation)
        assert [await generation.stop() for _ in range(2)] == ["finished"] * 2
        assert generation.log.end is end


@pytest.mark.parametrize("after", range(6))
@pytest.mark.parametrize(
    ("faults", "kind"),
    [
        (Faults(output=EngineFailed("a step failed")), "internal"),
        (Faults(output=EngineFailed("it died", dead=True)), "engine_unavailable"),
        (Faults(output=RuntimeError("a bug")), "internal"),
        (Faults(output=RuntimeError("a bug"), aclose=RuntimeError("another")), "internal"),
        (Faults(ends_early=True), "internal"),
        (Faults(output=asyncio.CancelledError()), "draining"),
    ],
    ids=["failed", "dead", "bug", "bug and worse", "early end", "cancelled"],
)
async def test_a_fault_after_any_output_is_one_error_and_the_engine_is_let_go(
    faults: Faults, kind: str, after: int
) -> None:
    engine = Faulty(msgspec.structs.replace(faults, after=after))
    async with desk(engine) as at:
        with capture_logs():
            generation = await at.ask()
            text, end = await read(generation)
            await at.quiet()
        assert HELLO.startswith(text)
        assert isinstance(end, Error)
        assert (end.type, end.seq, end.retryable) == (kind, generation.log.seq, True)
        assert generation.log.end is end
        assert engine.let_go == 1


async def test_a_fault_is_logged_without_a_word_of_the_text() -> None:
    async with desk(Faulty(Faults(output=RuntimeError("a bug"), after=2))) as at:
        with capture_logs() as logs:
            generation = await at.ask("a secret question")
            await read(generation)
        assert logs == [{"event": "pump_failed", "generation": generation.id, "exc_info": True, "log_level": "error"}]


@pytest.mark.parametrize(("question", "kind"), [("fails", "internal"), ("dies", "engine_unavailable")])
async def test_what_the_engine_does_to_a_reply_is_an_error_after_the_text_so_far(question: str, kind: str) -> None:
    async with desk() as at:
        with capture_logs() as logs:
            text, end = await read(await at.ask(question))
        assert text == "One two"
        assert isinstance(end, Error)
        assert end.type == kind
        assert [entry["event"] for entry in logs] == ["engine_failed"]


@pytest.mark.parametrize("steps", [0, 1, 5])
async def test_a_cancelled_pump_ends_its_reply_and_has_the_engine_let_go(steps: int) -> None:
    engine = Faulty(Faults(slow_s=0.02))
    async with desk(engine) as at:
        generation = await at.ask("endless")
        await generation.log.wait(steps - 1)
        for _ in range(3):  # a server that is told to stop again and again
            generation.task.cancel()
            await asyncio.sleep(0)
        _, end = await read(generation)
        assert isinstance(end, Error)
        assert end.type == "draining"
        await at.quiet()
        assert engine.running() == 0


async def test_an_abort_that_fails_or_is_slow_still_ends_the_reply() -> None:
    engine = Faulty(Faults(slow_s=0.02, abort=RuntimeError("no")))
    async with desk(engine) as at:
        with capture_logs() as logs:
            generation = await at.ask("endless")
            stopping = asyncio.create_task(generation.stop())
            await asyncio.sleep(0)
            stopping.cancel()
            _, end = await read(generation)
            await at.quiet()
        assert isinstance(end, Done)
        assert end.finish_reason == "stopped"
        assert [entry["event"] for entry in logs] == ["engine_did_not_let_go"]


@pytest.mark.parametrize("refusal", [EngineUnavailable("not now"), RuntimeError("a bug")])
async def test_what_the_engine_refuses_with_is_met_by_who_asked_and_leaves_nothing(refusal: Exception) -> None:
    async with desk(Faulty(Faults(generate=refusal))) as at:
        with pytest.raises(type(refusal)) as met:
            await at.ask()
        assert met.value is refusal
        assert at.registry.running() == 0


async def test_a_drain_before_the_hand_over_has_begun_refuses_who_asked() -> None:
    async with desk() as at:
        asking = asyncio.create_task(at.ask())
        while not at.registry.running():
            await asyncio.sleep(0)
        await at.registry.drain()
        with pytest.raises(Draining):
            await asyncio.wait_for(asking, 5)
        assert at.registry.running() == 0


async def test_a_drain_during_the_hand_over_refuses_who_asked() -> None:
    async with desk(Faulty(Faults(gate=asyncio.Event()))) as at:
        asking = asyncio.create_task(at.ask())
        await asyncio.sleep(0.005)
        assert at.registry.running() == 1
        await at.registry.drain()
        with pytest.raises(Draining):
            await asking
        assert at.registry.running() == 0


@pytest.mark.parametrize("refusal", [None, EngineUnavailable("not now")])
async def test_whoever_is_cancelled_during_the_hand_over_leaves_no_reply_behind(refusal: Exception | None) -> None:
    gate = asyncio.Event()
    engine = Faulty(Faults(gate=gate, generate=refusal))
    async with desk(engine) as at:
        asking = asyncio.create_task(at.ask("endless"))
        await asyncio.sleep(0.005)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        gate.set()
        await at.quiet()
        assert engine.let_go == (2 if refusal is None else 0)
