"""Decode: what the engine is handed, and what comes of it."""

from __future__ import annotations

import asyncio

from firstlight.engine.protocol import EngineRequest, Sampling
from firstlight.engine.scripted.engine import Scripted, ScriptedOutputs
from tests.replies import ANN, QUICK, desk, read


class Listening(Scripted):
    """The scripted engine, remembering what it was handed."""

    def __init__(self) -> None:
        super().__init__(QUICK)
        self.requests: list[EngineRequest] = []

    async def generate(self, request: EngineRequest) -> ScriptedOutputs:
        """Remember and play."""
        self.requests.append(request)
        return await super().generate(request)


async def test_exactly_what_the_user_may_say_reaches_the_engine() -> None:
    engine = Listening()
    async with desk(engine) as at:
        generation = await at.ask(max_tokens=7, temperature=0.5, top_p=0.9, stop=("END",), seed=3)
        await read(generation)
        (handed,) = engine.requests
        assert handed == EngineRequest(
            id=generation.id,
            token_ids=handed.token_ids,
            sampling=Sampling(max_tokens=7, temperature=0.5, top_p=0.9, stop=("END",), seed=3),
            cache_salt=ANN.subject,
        )
        assert len(handed.token_ids) == generation.prompt_tokens


async def test_what_a_user_leaves_out_is_left_to_the_model() -> None:
    engine = Listening()
    async with desk(engine) as at:
        await read(await at.ask())
        (handed,) = engine.requests
        assert handed.sampling == Sampling(max_tokens=QUICK.max_model_len - len(handed.token_ids))


async def test_every_reply_has_an_id_that_nobody_can_guess() -> None:
    async with desk() as at:
        ids = {(await at.ask()).id for _ in range(50)}
        assert len(ids) == 50
        assert {len(name) for name in ids} == {len("gen-") + 32}


async def test_a_stop_string_ends_the_reply_and_does_not_show() -> None:
    async with desk() as at:
        text, _ = await read(await at.ask(stop=(", how",)))
        assert text == "Hello there"


async def test_many_replies_at_once_do_not_mix() -> None:
    async with desk() as at:
        replies = await asyncio.gather(*(at.ask("Hello") for _ in range(50)))
        results = await asyncio.gather(*map(read, replies))
        assert len({text for text, _ in results}) == 1
        assert len({reply.id for reply in replies}) == 50
