"""Prefill: the conversation in token ids, and a reply that fits behind it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from firstlight.errors import ContextLength
from firstlight.prefill import Prefill
from firstlight.stages import Admitted, Prompt, Timeline, User, now
from firstlight.wire import ChatRequest, Message

LIMIT = 64


def prefill() -> tuple[Scripted, Prefill]:
    engine = Scripted(Scenario(replies=(Reply(script=(Step(text="x"),)),), max_model_len=LIMIT))
    return engine, Prefill(engine, default_max_tokens=10)


def admitted(letters: int, max_tokens: int | None = None) -> Admitted:
    request = ChatRequest(messages=(Message("user", "é" * letters),), max_tokens=max_tokens)
    return Admitted(request, User("ann"), Timeline(now()), "salt")


async def test_the_prompt_is_the_rendered_conversation_and_is_marked() -> None:
    engine, stage = prefill()
    asked = admitted(3)
    prompt = await stage.prefill(asked)
    assert prompt == Prompt(asked, await engine.renderer.render(asked.request.messages), 10)
    assert asked.timeline.marks.tokenised is not None


@given(st.integers(0, LIMIT), st.none() | st.integers(1, 1_000_000))
async def test_the_reply_gets_what_was_asked_or_what_is_left(letters: int, max_tokens: int | None) -> None:
    engine, stage = prefill()
    asked = admitted(letters, max_tokens)
    tokens = len(await engine.renderer.render(asked.request.messages))
    if tokens < LIMIT:
        prompt = await stage.prefill(asked)
        assert prompt.max_tokens == min(max_tokens or 10, LIMIT - tokens)
        return
    with pytest.raises(ContextLength) as refusal:
        await stage.prefill(asked)
    assert (
        refusal.value.detail
        == f"The conversation has {tokens} tokens; the model takes {LIMIT}, one at least for the reply."
    )
    assert (refusal.value.field, refusal.value.limit) == ("/messages", LIMIT)
    assert asked.timeline.marks.tokenised is None
