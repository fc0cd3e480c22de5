"""Messages to token ids, by the model's chat template. The one place that does it.

What a user types stays text. A string that the tokenizer knows as a token of its own (`<|im_start|>`) is broken by a
marker before the template runs, so that no code of the template and no neighbour can complete it. Afterwards the text
is split at the tokens which the template itself wrote, the markers are taken out, and the pieces are encoded by a copy
of the tokenizer that does not know such tokens.

Conversations without such strings, nearly all, are encoded whole by the model's own tokenizer: exactly the ids of
`apply_chat_template(tokenize=True)`. In the others the pieces are encoded apart. That gives the same ids too, since
tokenizers split at such tokens before anything else. The one exception: tokens that ask for whole words
(`single_word`) or are looked for in normalised text are split at wherever they stand as they are.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Any

from firstlight.engine.plain import AddedTokens, plain_copy
from firstlight.errors import InvalidRequest, StartError
from firstlight.wire import Message

INLINE_CHARACTERS = 2_000
"""More than this is rendered in a thread; up to it takes about a millisecond, where the hop takes 0.1."""


class ChatRenderer:
    """The protocol's Renderer for a tokenizer of transformers. May be used by several threads at once."""

    def __init__(self, tokenizer: Any) -> None:
        """Take a fast tokenizer with a chat template. Raises StartError where it is not one."""
        if not getattr(tokenizer, "is_fast", False):
            raise StartError("the model's tokenizer has no tokenizer.json; First Light needs one")
        if not tokenizer.chat_template:
            raise StartError("the model has no chat template; choose a model made for chat (often named -Instruct)")
        self._template = tokenizer.apply_chat_template
        self._whole = tokenizer.backend_tokenizer
        self._whole.no_truncation()
        self._whole.no_padding()
        self._added = AddedTokens(self._whole.get_added_tokens_decoder())
        self._first, self._later = plain_copy(self._whole, self._added.forgeable)

    @classmethod
    def load(cls, path: str) -> ChatRenderer:
        """The renderer of a model's folder or Hugging Face id. Raises StartError."""
        from transformers import AutoTokenizer

        try:
            return cls(AutoTokenizer.from_pretrained(path))
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().split("\n", 1)[0]
            raise StartError(f"the tokenizer of {path} cannot be loaded: {reason}") from error

    async def render(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of `messages` and the opening of the answer. Raises InvalidRequest where the template refuses."""
        if sum(len(message.content) for message in messages) > INLINE_CHARACTERS:
            return await asyncio.to_thread(self._render, messages)
        return self._render(messages)

    def _render(self, messages: Sequence[Message]) -> list[int]:
        marker = _marker(messages)
        contents = [self._added.break_up(message.content, marker) for message in messages]
        broken = any(content != message.content for content, message in zip(contents, messages, strict=True))
        text = self._fill([(message.role, content) for message, content in zip(messages, contents, strict=True)])
        return self._encode_apart(text, marker) if broken else self._encode(self._whole, text)

    def _fill(self, turns: Sequence[tuple[str, str]]) -> str:
        from jinja2.exceptions import TemplateError

        conversation = [{"role": role, "content": content} for role, content in turns]
        try:
            text: str = self._template(conversation, tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            raise InvalidRequest(f"The model's chat template refuses this conversation: {error}") from error
        return text

    def _encode_apart(self, text: str, marker: str) -> list[int]:
        ids: list[int] = []
        for begin, piece, special in self._added.split(text):
            ids += self._encode_piece(piece, marker, begin)
            if special is not None:
                ids.append(special)
        return ids

    def _encode_piece(self, piece: str, marker: str, begin: int) -> list[int]:
        return self._encode(self._later if begin else self._first, piece.replace(marker, "")) if piece else []

    @staticmethod
    def _encode(tokenizer: Any, text: str) -> list[int]:
        # `encode_batch` lets the loop run meanwhile; `encode` would hold the interpreter, thread or not.
        ids: list[int] = tokenizer.encode_batch([text], add_special_tokens=False)[0].ids
        return ids


def _marker(messages: Sequence[Message]) -> str:
    """A string that stands in no message: of a private character and chance."""
    while any((marker := f"\uf8f0{secrets.token_hex(8)}\uf8f1") in message.content for message in messages):
        pass
    return marker
