"""The clock of a reply, and what the server says of each stage."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from firstlight.stages import Stage, Timeline, parts, server_timing
from firstlight.wire import Marks

WHOLE = Marks(
    accepted=0,
    headers=1,
    routed=3,
    body=7,
    verified=8,
    bucket=9,
    cleaned=10,
    shaped=15,
    tokenised=20,
    queued=21,
    started=22,
    scheduled=23,
    first_token=47,
    first_text=79,
    first_byte=143,
    finished=400,
)


def test_each_stage_has_the_part_between_its_marks() -> None:
    assert parts(WHOLE) == {
        Stage.CONNECTION: 1 + 4,
        Stage.ROUTING: 2,
        Stage.ADMISSION: 8,
        Stage.PREFILL: 32,
        Stage.DECODE: 32,
        Stage.ASSEMBLY: 64,
    }


@given(st.lists(st.floats(0, 1e5), min_size=15, max_size=15))
def test_together_the_parts_are_the_time_to_the_first_byte(gaps: list[float]) -> None:
    timeline, moment = Timeline(5.0), 5.0
    for name, gap in zip(Marks.__struct_fields__[1:], gaps, strict=True):
        moment += gap / 1000
        timeline.mark(name, moment)
    assert abs(sum(parts(timeline.marks).values()) - (timeline.marks.first_byte or 0)) < 0.01
    assert all(part >= 0 for part in parts(timeline.marks).values())


def test_a_stage_that_was_not_passed_has_no_part() -> None:
    assert parts(Marks(accepted=0)) == {}
    refused = msgspec.structs.replace(Marks(), accepted=0, headers=1, routed=2, body=4, verified=5)
    assert parts(refused) == {Stage.CONNECTION: 3, Stage.ROUTING: 1}
    assert list(parts(msgspec.structs.replace(WHOLE, first_text=None, first_byte=None)))[-1] == Stage.PREFILL


def timed(moment_ms: float, **marks: float) -> str:
    timeline = Timeline(5.0)
    for name, ms in marks.items():
        timeline.mark(name, 5.0 + ms / 1000)
    return server_timing(timeline, 5.0 + moment_ms / 1000)


def test_the_header_names_the_stages_passed_and_the_one_under_way() -> None:
    assert timed(2) == "connection;dur=2.000"
    assert timed(9, headers=1) == "connection;dur=1.000, routing;dur=8.000"
    assert timed(9, headers=1, routed=3) == "connection;dur=1.000, routing;dur=8.000"
    passed = {"headers": 1, "routed": 3, "body": 7}
    assert timed(9, **passed, verified=8) == "connection;dur=5.000, routing;dur=2.000, admission;dur=2.000"
    passed |= {"shaped": 8, "tokenised": 9, "queued": 10}
    assert timed(10.5, **passed) == "connection;dur=5.000, routing;dur=2.000, admission;dur=1.000, prefill;dur=2.500"
