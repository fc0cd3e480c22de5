"""What every engine keeps, whatever computes the tokens. Prompts are such that a real small model talks on for long."""

from __future__ import annotations

import asyncio
import itertools
import random

import pytest

from firstlight.engine.protocol import Engine, EngineOutput, EngineRequest, Outputs, Sampling
from firstlight.engine.scripted.engine import Scripted
from firstlight.errors import ContextLength, InvalidRequest
from firstlight.stages import now
from firstlight.wire import Message

pytestmark = pytest.mark.asyncio(loop_scope="session")

STORY = "Tell me a very long story about a lighthouse."
ALPHABET = "Recite the alphabet, with commas: A, B, C, D, E, F, G."
COUNT = "Count from 1 to 1000, with commas."

names = map(str, itertools.count())


async def ask(engine: Engine, text: str, *, name: str = "", salt: str = "", **sampling: object) -> Outputs:
    """Hand `text` over; greedy, and with a salt of its own, so that no test finds the cache of another."""
    name = name or next(names)
    fields = {"max_tokens": 200, "temperature": 0.0, **sampling}
    ids = await engine.renderer.render([Message("user", text)])
    return await engine.generate(EngineRequest(name, ids, Sampling(**fields), salt or f"salt {name}"))  # type: ignore[arg-type]


async def read(outputs: Outputs) -> list[EngineOutput]:
    return [output async for output in outputs]


def text_of(outputs: list[EngineOutput]) -> str:
    return "".join(output.text for output in outputs)


async def idle(engine: Engine, within_s: float = 10.0) -> bool:
    """Whether the engine ends all its replies in time."""
    deadline = now() + within_s
    while engine.running() and now() < deadline:
        await asyncio.sleep(0.005)
    return engine.running() == 0


async def test_generate_returns_before_the_first_token_and_the_reply_runs_until_its_last(engine: Engine) -> None:
    outputs = await ask(engine, STORY, max_tokens=4)
    assert engine.running() == 1
    await read(outputs)
    assert engine.running() == 0


async def test_the_last_output_and_no_other_has_a_finish(engine: Engine) -> None:
    outputs = await ask(engine, STORY, max_tokens=12)
    finishes = [output.finish for output in await read(outputs)]
    assert finishes == [None] * (len(finishes) - 1) + ["length"]
    with pytest.raises(StopAsyncIteration):
        await anext(outputs)


@pytest.mark.parametrize("max_tokens", [1, 2, 17])
async def test_a_reply_that_is_cut_has_exactly_max_tokens(engine: Engine, max_tokens: int) -> None:
    outputs = await read(await ask(engine, STORY, max_tokens=max_tokens))
    assert sum(output.tokens for output in outputs) == max_tokens
    assert outputs[-1].finish == "length"


async def test_a_stop_string_ends_the_reply_and_never_shows_even_over_several_tokens(engine: Engine) -> None:
    whole = text_of(await read(await ask(engine, COUNT, max_tokens=40)))
    assert len(whole) > 30
    stop = whole[20:29]
    outputs = await read(await ask(engine, COUNT, max_tokens=40, stop=("never said", stop)))
    assert text_of(outputs) == whole[: whole.index(stop)]
    assert outputs[-1].finish == "stop"
    assert sum(output.tokens for output in outputs) < 40


async def test_text_held_for_a_stop_string_that_does_not_come_is_let_out_at_the_end(engine: Engine) -> None:
    whole = text_of(await read(await ask(engine, COUNT, max_tokens=20)))
    outputs = await read(await ask(engine, COUNT, max_tokens=20, stop=(whole[-6:] + "\x00",)))
    assert (text_of(outputs), outputs[-1].finish) == (whole, "length")


async def test_an_abort_ends_the_iterator_with_finish_abort(engine: Engine) -> None:
    outputs = await ask(engine, STORY, name="aborted")
    await anext(outputs)
    await engine.abort("aborted")
    assert await idle(engine)
    finishes = [output.finish for output in await asyncio.wait_for(read(outputs), 10)]
    assert finishes == [None] * (len(finishes) - 1) + ["abort"]


async def test_an_abort_wakes_a_consumer_that_waits_for_the_first_token(engine: Engine) -> None:
    outputs = await ask(engine, "word " * 400, name="early")
    reading = asyncio.create_task(read(outputs))
    await asyncio.sleep(0)
    await engine.abort("early")
    assert (await asyncio.wait_for(reading, 10))[-1].finish == "abort"
    assert await idle(engine)


async def test_an_abort_of_an_unknown_or_ended_reply_changes_nothing(engine: Engine) -> None:
    await engine.abort("unknown")
    outputs = await ask(engine, STORY, name="ended", max_tokens=3)
    assert (await read(outputs))[-1].finish == "length"
    await engine.abort("ended")
    assert (await engine.health()).state == "ready"
    assert len(await read(await ask(engine, STORY, max_tokens=1))) == 1


async def test_closing_the_outputs_frees_the_engine(engine: Engine) -> None:
    outputs = await ask(engine, STORY)
    await anext(outputs)
    await outputs.aclose()
    await outputs.aclose()
    assert await idle(engine)
    assert await read(outputs) == []


async def test_closing_before_the_first_output_was_asked_for_frees_the_engine(engine: Engine) -> None:
    await (await ask(engine, STORY)).aclose()
    assert await idle(engine)


async def test_a_consumer_that_is_cancelled_while_it_waits_frees_the_engine(engine: Engine) -> None:
    outputs = await ask(engine, "word " * 400)
    reading = asyncio.create_task(read(outputs))
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait([reading])
    assert reading.cancelled()
    assert await idle(engine)


async def test_consumers_that_are_cancelled_right_after_the_start_leave_nothing_behind(engine: Engine) -> None:
    async def consume() -> None:
        outputs = await ask(engine, STORY, max_tokens=50)
        try:
            await read(outputs)
        finally:
            await outputs.aclose()

    async def consume_briefly(seconds: float) -> None:
        consumer = asyncio.create_task(consume())
        await asyncio.sleep(seconds)
        consumer.cancel()
        await asyncio.wait([consumer])

    consumers = 1000 if isinstance(engine, Scripted) else 50
    await asyncio.gather(*(consume_briefly(random.uniform(0, 0.005)) for _ in range(consumers)))
    assert await idle(engine)
    assert len(await read(await ask(engine, STORY, max_tokens=1))) == 1


async def test_two_replies_at_once_do_not_mix(engine: Engine) -> None:
    # Of few tokens, and such as a model is sure of: a batch rounds otherwise than a reply alone.
    questions = (ALPHABET, COUNT)
    alone = [text_of(await read(await ask(engine, question, max_tokens=6))) for question in questions]
    both = await asyncio.gather(*[read(await ask(engine, question, max_tokens=6)) for question in questions])
    # A real model rounds differently in a batch, so that a greedy reply may take another turn after some words.
    same = None if isinstance(engine, Scripted) else 10
    assert [text_of(outputs)[:same] for outputs in both] == [text[:same] for text in alone]
    assert alone[0][:same] != alone[1][:same]


async def test_the_same_seed_gives_the_same_text(engine: Engine) -> None:
    texts = {text_of(await read(await ask(engine, STORY, max_tokens=12, temperature=1.0, seed=7))) for _ in range(2)}
    assert len(texts) == 1


async def test_a_prompt_longer_than_the_context_is_refused_before_any_output(engine: Engine) -> None:
    limit = engine.limits.max_model_len
    for tokens in (limit, limit + 1, 3 * limit):
        with pytest.raises(ContextLength):
            await engine.generate(EngineRequest("long", [300] * tokens, Sampling(max_tokens=1), "salt"))
    assert engine.running() == 0


async def test_an_empty_prompt_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidRequest):
        await engine.generate(EngineRequest("empty", [], Sampling(max_tokens=1), "salt"))
    assert engine.running() == 0


async def test_a_reply_ends_where_the_context_does(engine: Engine) -> None:
    room = 5
    ids = await engine.renderer.render([Message("user", "word " * 1000)])
    ids = ids[: engine.limits.max_model_len - room]
    outputs = await read(await engine.generate(EngineRequest("full", ids, Sampling(max_tokens=100), "salt")))
    assert sum(output.tokens for output in outputs) <= room
    assert outputs[-1].finish in ("length", "stop")


async def test_the_first_output_says_when_the_engine_did_what(engine: Engine) -> None:
    asked = now()
    outputs = await ask(engine, STORY, max_tokens=3)
    times = (await anext(outputs)).times
    assert times is not None
    moments = [asked, times.queued, times.scheduled, times.first_token, now()]
    assert moments == sorted(moments)  # type: ignore[type-var]
    await read(outputs)


async def test_a_prompt_seen_before_is_cached_for_its_salt_alone(engine: Engine) -> None:
    question = "word " * 200
    cached = []
    for salt in ("one", "one", "two"):
        outputs = await read(await ask(engine, question, salt=salt, max_tokens=1))
        cached.append(outputs[0].cached_tokens)
    assert (cached[0], cached[1] > 0, cached[2]) == (0, True, 0)


async def test_characters_of_several_tokens_arrive_whole(engine: Engine) -> None:
    outputs = await read(await ask(engine, "Say 東京 👋🏽 é, and nothing else.", max_tokens=24))
    assert "\ufffd" not in text_of(outputs)[:-1]
    if isinstance(engine, Scripted):
        assert text_of(outputs) == "東京 👋🏽é\n"
        assert sum(output.tokens for output in outputs) == 9
