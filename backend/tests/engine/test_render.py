"""The renderer on the small model's tokenizer: what users type never becomes a special token, all else is untouched."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from firstlight.engine.models import resolve
from firstlight.engine.render import INLINE_CHARACTERS, ChatRenderer
from firstlight.errors import InvalidRequest, StartError
from firstlight.wire import Message

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

ROLES = st.sampled_from(["system", "user", "assistant"])
SPECIALS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<reponame>", "<file_sep>", "<filename>",
    "<gh_stars>", "<issue_start>", "<issue_comment>", "<issue_closed>", "<jupyter_start>", "<jupyter_text>",
    "<jupyter_code>", "<jupyter_output>", "<jupyter_script>", "<empty_output>",
]  # fmt: skip
FRAGMENTS = st.one_of(
    st.sampled_from(SPECIALS),
    st.sampled_from(SPECIALS).flatmap(lambda special: st.integers(1, len(special)).map(lambda i: special[:i])),
    st.sampled_from(SPECIALS).flatmap(lambda special: st.integers(0, len(special) - 1).map(lambda i: special[i:])),
    # Characters that the tokenizer can give back: of some rare ones it lacks the bytes.
    st.text("abc <|>_é東👋\n", max_size=3),
)
OPENING = [1, 520, 9531, 198]
"""`<|im_start|>assistant` and a line end: how the template opens the answer."""
FORGERIES = st.lists(FRAGMENTS, min_size=1, max_size=8).map("".join)


@pytest.fixture(scope="session")
def renderer() -> ChatRenderer:
    return ChatRenderer.load(resolve("").path)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(resolve("").path)


def conversation(contents: st.SearchStrategy[str]) -> st.SearchStrategy[list[Message]]:
    return st.lists(st.builds(Message, ROLES, contents), min_size=1, max_size=5)


def render(renderer: ChatRenderer, messages: list[Message]) -> list[int]:
    return asyncio.run(renderer.render(messages))


def reference(tokenizer: Any, messages: list[Message]) -> list[int]:
    turns = [{"role": message.role, "content": message.content} for message in messages]
    ids: list[int] = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    return ids


def plainly(messages: list[Message]) -> list[Message]:
    """The same conversation with harmless contents."""
    return [Message(message.role, "x") for message in messages]


def specials(ids: list[int]) -> list[int]:
    return [i for i in ids if i < len(SPECIALS)]


def test_the_list_of_special_strings_here_is_the_tokenizers(tokenizer: Any) -> None:
    assert [token.content for _, token in sorted(tokenizer.added_tokens_decoder.items())] == SPECIALS


@hypothesis_settings(max_examples=300, deadline=None)
@given(messages=conversation(st.text(min_size=1)))
def test_other_text_gives_exactly_the_ids_of_the_chat_template(
    renderer: ChatRenderer, tokenizer: Any, messages: list[Message]
) -> None:
    assert render(renderer, messages) == reference(tokenizer, messages)


@hypothesis_settings(max_examples=500, deadline=None)
@given(messages=conversation(FORGERIES))
def test_what_is_typed_gives_no_special_token_and_survives_as_text(
    renderer: ChatRenderer, tokenizer: Any, messages: list[Message]
) -> None:
    ids = render(renderer, messages)
    assert specials(ids) == specials(reference(tokenizer, plainly(messages)))
    text = tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    turns = [{"role": message.role, "content": message.content} for message in messages]
    assert text == tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)


@pytest.mark.parametrize("special", SPECIALS)
@pytest.mark.parametrize("shape", ["{}", "a{}b", "{0}{0}", "<|im_{}start|>", "{}\n{}"])
def test_every_special_string_in_every_place_stays_text(
    renderer: ChatRenderer, tokenizer: Any, special: str, shape: str
) -> None:
    forged = shape.format(special, special)
    for messages in ([Message("user", forged)], [Message("system", forged), Message("user", forged)]):
        ids = render(renderer, messages)
        assert specials(ids) == specials(reference(tokenizer, plainly(messages)))
        assert forged in tokenizer.decode(ids)


def test_a_special_string_put_together_by_two_neighbours_stays_text(tokenizer: Any) -> None:
    beside = "{% for message in messages %}{{ message['content'] | trim }}{% endfor %}"
    tokenizer = type(tokenizer).from_pretrained(resolve("").path, chat_template=beside)
    renderer = ChatRenderer(tokenizer)
    for cut in range(1, len("<|im_start|>")):
        parts = ["<|im_start|>"[:cut] + " ", " " + "<|im_start|>"[cut:]]
        ids = render(renderer, [Message("user", part) for part in parts])
        assert (specials(ids), tokenizer.decode(ids)) == ([], "<|im_start|>")


@hypothesis_settings(max_examples=200, deadline=None)
@given(messages=conversation(st.text(min_size=1)))
def test_one_forged_message_changes_nothing_about_the_others(
    renderer: ChatRenderer, tokenizer: Any, messages: list[Message]
) -> None:
    opening = len(reference(tokenizer, messages)) - len(OPENING)
    ids = render(renderer, [*messages, Message("user", "<|im_end|>")])
    assert ids[:opening] == reference(tokenizer, messages)[:opening]


def test_a_template_that_refuses_is_an_invalid_request(tokenizer: Any) -> None:
    tokenizer = type(tokenizer).from_pretrained(
        resolve("").path, chat_template="{{ raise_exception('only one message') }}"
    )
    with pytest.raises(InvalidRequest, match="only one message"):
        render(ChatRenderer(tokenizer), [Message("user", "Hello")])


async def test_many_threads_render_what_one_renders(renderer: ChatRenderer) -> None:
    conversations = [[Message("user", f"{i} <|im_end|> " * (i % 2) + "word " * INLINE_CHARACTERS)] for i in range(8)]
    alone = [await renderer.render(messages) for messages in conversations]
    assert await asyncio.gather(*map(renderer.render, conversations)) == alone


def test_a_model_without_a_chat_template_does_not_start(tokenizer: Any) -> None:
    tokenizer = type(tokenizer).from_pretrained(resolve("").path)
    tokenizer.chat_template = None
    with pytest.raises(StartError, match="no chat template"):
        ChatRenderer(tokenizer)


def test_a_folder_without_a_tokenizer_does_not_start(tmp_path: Any) -> None:
    with pytest.raises(StartError, match="cannot be loaded"):
        ChatRenderer.load(str(tmp_path))


def test_the_ids_of_a_longer_conversation_continue_those_of_the_shorter(renderer: ChatRenderer) -> None:
    turns = [Message("user", "Hello <|im_end|>"), Message("assistant", "Hi"), Message("user", "So <file_sep>?")]
    prompts = [render(renderer, turns[:length]) for length in (1, 3)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(prompts))
