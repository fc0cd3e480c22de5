"""Shape: the system first or nowhere, the user last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.admission.shaping import check_shape
from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest, Message, Role

roles = st.lists(st.sampled_from(["system", "user", "assistant"]), min_size=1, max_size=8)


@given(roles)
def test_a_conversation_is_refused_exactly_where_its_shape_is_wrong(roles: list[Role]) -> None:
    wrong = [f"/messages/{n}/role" for n, role in enumerate(roles) if n and role == "system"]
    if roles[-1] != "user":
        wrong.append(f"/messages/{len(roles) - 1}/role")
    request = ChatRequest(messages=tuple(Message(role, "x") for role in roles))
    if not wrong:
        check_shape(request)
        return
    with pytest.raises(InvalidRequest) as refusal:
        check_shape(request)
    assert refusal.value.field == wrong[0]
