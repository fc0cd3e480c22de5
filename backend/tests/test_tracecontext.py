"""W3C Trace Context: what is taken over, and what is ignored."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.tracecontext import TraceContext, follow

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("header", "sampled"), [(GOOD, True), (f"00-{TRACE}-{SPAN}-00", False), (f"cc-{TRACE}-{SPAN}-03-more", True)]
)
def test_a_reply_is_a_new_span_in_the_callers_trace(header: str, sampled: bool) -> None:
    own = follow(header)
    assert own == TraceContext(TRACE, own.span_id, SPAN, sampled)
    assert own.traceparent == f"00-{TRACE}-{own.span_id}-0{int(sampled)}"
    assert own.span_id != SPAN


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        GOOD.upper(),
        GOOD + "-more",
        GOOD + ", " + GOOD,
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}",
        GOOD + "\n",
        "x" * 30_000,
    ],
)
def test_what_is_malformed_begins_a_trace_of_its_own(header: str | None) -> None:
    own = follow(header)
    assert (own.parent_id, own.sampled) == (None, True)
    assert own.trace_id != TRACE
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", own.traceparent)


@given(st.text())
def test_any_text_is_followed_or_ignored(header: str) -> None:
    assert follow(header).parent_id is None
