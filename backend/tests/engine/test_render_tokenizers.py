"""The renderer on tokenizers of other makes than the small model's, each small enough to be written here."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.engine.render import ChatRenderer
from firstlight.wire import Message

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

TEMPLATE = "<s>{% for message in messages %}<u> {{ message['content'] }}</s>\n{% endfor %}"
LETTERS = "ab<>/su▁"
PIECES = ["<unk>", "<s>", "</s>", "<u>", *LETTERS, "ab", "▁a", "\n", "  "]
FORGEABLE = {1, 2, 3}


def wrapped(model: Any, pre_tokenizer: Any, normalizer: Any = None) -> Any:
    from tokenizers import AddedToken, Tokenizer
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.add_special_tokens(["<unk>", "<s>", AddedToken("</s>", rstrip=True, normalized=False, special=True)])
    tokenizer.add_tokens([AddedToken("<u>", lstrip=True, normalized=False), "  "])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=TEMPLATE, unk_token="<unk>")


def unigram(scheme: str) -> Any:
    from tokenizers import models, pre_tokenizers

    # As SentencePiece's files have it, special pieces weigh nothing: a lattice would always take them.
    scores = [(piece, 0.0 if i < 4 else -1.0 - i) for i, piece in enumerate(PIECES)]
    return wrapped(models.Unigram(scores, unk_id=0), pre_tokenizers.Metaspace(prepend_scheme=scheme))


def sentencepiece_bpe() -> Any:
    from tokenizers import models, normalizers, pre_tokenizers

    merges = [("<", "s"), ("<s", ">"), ("<", "u"), ("<u", ">"), ("a", "b"), ("▁", "a")]
    vocab = {piece: i for i, piece in enumerate([*PIECES, "<s", "<u"])}
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return wrapped(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True), pre_tokenizers.Sequence([]), normalizer)


MAKES = {
    "unigram, first": lambda: unigram("first"),
    "unigram, always": lambda: unigram("always"),
    "unigram, never": lambda: unigram("never"),
    "sentencepiece bpe": sentencepiece_bpe,
}


@pytest.fixture(scope="module", params=list(MAKES))
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return MAKES[request.param]()


@pytest.fixture(scope="module")
def renderer(tokenizer: Any) -> ChatRenderer:
    return ChatRenderer(tokenizer)


def render(renderer: ChatRenderer, contents: list[str]) -> list[int]:
    return asyncio.run(renderer.render([Message("user", content) for content in contents]))


def reference(tokenizer: Any, contents: list[str]) -> list[int]:
    turns = [{"role": "user", "content": content} for content in contents]
    ids: list[int] = tokenizer.apply_chat_template(turns, return_dict=False)
    return ids


def forgeable(ids: list[int]) -> list[int]:
    return [i for i in ids if i in FORGEABLE]


@given(contents=st.lists(st.text("ab \n>/", min_size=1), min_size=1, max_size=3))
def test_other_text_gives_the_ids_of_the_chat_template(
    renderer: ChatRenderer, tokenizer: Any, contents: list[str]
) -> None:
    assert render(renderer, contents) == reference(tokenizer, contents)


@given(contents=st.lists(st.text("ab \n", min_size=1), min_size=1, max_size=3))
def test_pieces_encoded_apart_give_the_same_ids(renderer: ChatRenderer, tokenizer: Any, contents: list[str]) -> None:
    expected = reference(tokenizer, contents)
    assert render(renderer, [*contents, "<s>"])[: len(expected) - 1] == expected[:-1]


@given(contents=st.lists(st.text(LETTERS + " ", min_size=1).filter(str.strip), min_size=1, max_size=3))
def test_what_is_typed_gives_no_special_token(renderer: ChatRenderer, tokenizer: Any, contents: list[str]) -> None:
    expected = reference(tokenizer, ["a"] * len(contents))
    for forged in (contents, [f"{content}<s><u></s>" for content in contents]):
        assert forgeable(render(renderer, forged)) == forgeable(expected)


async def test_thousands_of_added_tokens_cost_no_more_than_a_few() -> None:
    # Some models reserve that many (`<unused17>`). Tried one by one at each "<", they would hold everything up.
    from tokenizers import models, pre_tokenizers

    tokenizer = wrapped(models.Unigram([(piece, -1.0) for piece in PIECES], unk_id=0), pre_tokenizers.Metaspace())
    tokenizer.add_tokens([f"<unused{i}>" for i in range(6_000)], special_tokens=True)
    renderer = ChatRenderer(tokenizer)
    typed = "<unused <u <unused17> " * 5_000
    async with asyncio.timeout(20):
        ids = await renderer.render([Message("user", typed)])
    known = tokenizer.convert_tokens_to_ids("<unused17>")
    assert known not in ids
