"""Cleaning: control characters go, all else stays as it was."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.admission.cleaning import clean, clean_text
from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest, Message

KEPT = "\t\n\r"
texts = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), st.sampled_from("\x01\x7f\x9f\t"))
)


@given(texts)
def test_exactly_the_control_characters_are_dropped(text: str) -> None:
    expected = "".join(c for c in text if c in KEPT or unicodedata.category(c) != "Cc")
    try:
        assert clean_text(text, "/x") == expected
    except InvalidRequest:
        assert not expected.strip()


@given(texts.filter(lambda text: text.strip(KEPT)))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    try:
        once = clean_text(text, "/x")
    except InvalidRequest:
        return
    assert clean_text(once, "/x") == once


@given(texts, texts)
def test_nul_is_refused_wherever_it_stands(before: str, after: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        clean_text(f"{before}\0{after}", "/messages/3/content")
    assert (refusal.value.detail, refusal.value.field) == (
        "/messages/3/content: NUL is not allowed.",
        "/messages/3/content",
    )


def test_bidirectional_marks_tags_and_noncharacters_are_kept() -> None:
    text = "a\u202eb\u2066c\U000e0041\ufffe\u200b"
    assert clean_text(text, "/x") == text


def test_every_text_of_a_request_is_cleaned_and_the_rest_is_left_alone() -> None:
    dirty = ChatRequest(
        messages=(Message("system", "a\x07b"), Message("user", "c\x1bd")), max_tokens=3, stop=("\x08\n", "e"), seed=4
    )
    assert clean(dirty) == ChatRequest(
        messages=(Message("system", "ab"), Message("user", "cd")), max_tokens=3, stop=("\n", "e"), seed=4
    )


def test_a_stop_string_with_nothing_left_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        clean(ChatRequest(messages=(Message("user", "Hello"),), stop=("x", "\x07")))
    assert refusal.value.field == "/stop/1"
