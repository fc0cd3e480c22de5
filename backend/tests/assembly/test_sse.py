"""Event bytes: whatever the model says stays one event with the same text (case E06)."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from firstlight.assembly import sse
from firstlight.wire import Delta, Done, Error, Marks, Start, Usage

hostile = st.lists(
    st.sampled_from(
        ["\n\n", "\r", "\r\n", "data:", "event: done\n", "id:", ":hb", "\u2028", "\u0085", "\ufeff", "\0", '"']
    )
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
).map("".join)


def test_each_event_is_its_name_and_one_line_of_json() -> None:
    timing = Marks(accepted=0.0, queued=1.25)
    assert [
        sse.event(Start("g1", 0, "demo", 7, timing)),
        sse.event(Delta(1, "Hi", 1)),
        sse.event(Delta(1, "Hi", 1, 2.5, timing)),
        sse.event(Done(1, "stop", Usage(7, 1, 0), timing, "00ff")),
        sse.event(Error(1, "draining", "Bye.", True)),
    ] == [
        b'event: start\ndata: {"generation":"g1","seq":0,"model":"demo","prompt_tokens":7,'
        b'"timing":{"accepted":0.0,"queued":1.25}}\n\n',
        b'event: delta\ndata: {"seq":1,"text":"Hi","tokens":1}\n\n',
        b'event: delta\ndata: {"seq":1,"text":"Hi","tokens":1,"at":2.5,"timing":{"accepted":0.0,"queued":1.25}}\n\n',
        b'event: done\ndata: {"seq":1,"finish_reason":"stop",'
        b'"usage":{"prompt_tokens":7,"completion_tokens":1,"cached_tokens":0},'
        b'"timing":{"accepted":0.0,"queued":1.25},"sha256":"00ff"}\n\n',
        b'event: error\ndata: {"seq":1,"type":"draining","message":"Bye.","retryable":true}\n\n',
    ]


@given(hostile)
def test_e06_no_text_can_end_its_event_or_begin_another(text: str) -> None:
    data = sse.event(Delta(3, text, 1))
    assert data.count(b"\n") == 3
    assert b"\r" not in data
    name, line = data.removesuffix(b"\n\n").split(b"\n")
    assert name == b"event: delta"
    assert json.loads(line.removeprefix(b"data: ")) == {"seq": 3, "text": text, "tokens": 1}
