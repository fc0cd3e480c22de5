"""The body: whatever bytes come, there is a typed request or a refusal that names what is wrong."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.admission.body import decode
from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest, Message

unicode = st.text(st.characters(exclude_categories=["Cs"]))
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | unicode,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(unicode, inner, max_size=4),
    max_leaves=8,
)
roles = st.sampled_from(["system", "user", "assistant"])
requests = st.builds(
    ChatRequest,
    messages=st.lists(st.builds(Message, roles, unicode.filter(bool)), min_size=1, max_size=5).map(tuple),
    max_tokens=st.none() | st.integers(1, 1_000_000),
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0, 1, exclude_min=True),
    stop=st.lists(unicode.filter(bool).map(lambda text: text[:128]), max_size=4).map(tuple),
    seed=st.none() | st.integers(0, 2**53 - 1),
)
fields = st.sampled_from([*ChatRequest.__struct_fields__, "role", "content", "n", "a/b"])


@given(requests)
def test_a_valid_request_comes_out_as_it_went_in(request: ChatRequest) -> None:
    assert decode(msgspec.json.encode(request)) == request


@given(st.binary())
def test_any_bytes_are_a_request_or_refused(body: bytes) -> None:
    _decode_or_refuse(body)


@given(st.dictionaries(fields, json | st.lists(st.dictionaries(fields, json, max_size=3), max_size=3), max_size=6))
def test_any_json_is_a_request_or_refused(document: dict[str, object]) -> None:
    _decode_or_refuse(msgspec.json.encode(document))


@given(requests, st.data())
def test_a_request_cut_anywhere_is_refused(request: ChatRequest, data: st.DataObject) -> None:
    body = msgspec.json.encode(request)
    with pytest.raises(InvalidRequest):
        decode(body[: data.draw(st.integers(0, len(body) - 1))])


@pytest.mark.parametrize("depth", [2_000, 200_000])
@pytest.mark.parametrize("place", ['{"x":%s}', '{"messages":%s}', '{"messages":[{"role":"user","content":%s}]}', "%s"])
def test_deep_nesting_is_refused_at_once(place: str, depth: int) -> None:
    body = (place % ("[" * depth + "]" * depth)).encode()
    begin = time.process_time()
    with pytest.raises(InvalidRequest):
        decode(body)
    assert time.process_time() - begin < 1.0


def test_invalid_utf_8_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        decode(b'{"messages":[{"role":"user","content":"\xff"}]}')
    assert refusal.value.detail == "The body is not JSON: Invalid UTF-8 encoded string."


def test_a_client_s_own_words_are_repeated_in_short() -> None:
    name = "x" * 5_000
    with pytest.raises(InvalidRequest) as refusal:
        decode(msgspec.json.encode({name: 1}))
    assert refusal.value.field == f"/{'x' * 100}..."
    assert len(refusal.value.detail) < 300


def _decode_or_refuse(body: bytes) -> None:
    try:
        request = decode(body)
    except InvalidRequest as refused:
        refusal = refused
    else:
        assert decode(msgspec.json.encode(request)) == request
        return
    assert refusal.detail.endswith(".")
    assert refusal.field is None or refusal.field == "" or refusal.field.startswith("/")
