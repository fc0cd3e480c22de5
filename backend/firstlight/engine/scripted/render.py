"""Messages to token ids, in the shape of ChatML."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from firstlight.engine.scripted.words import BEGIN, END, ROLES, encode
from firstlight.wire import Message

INLINE_CHARACTERS = 4_096
"""More than this is split in a thread: about 1 ms of work."""


class WordRenderer:
    """Conversations in the shape of ChatML: begin, role, content, end; at the last the opening of the answer."""

    async def render(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of `messages`; long ones are rendered in a thread."""
        if sum(len(message.content) for message in messages) > INLINE_CHARACTERS:
            return await asyncio.to_thread(_render, messages)
        return _render(messages)


def _render(messages: Sequence[Message]) -> list[int]:
    ids: list[int] = []
    for message in messages:
        ids += [BEGIN, ROLES[message.role], *encode(message.content), END]
    return [*ids, BEGIN, ROLES["assistant"]]
