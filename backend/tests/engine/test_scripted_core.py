"""The scheduler on a clock of its own: times are compared exactly (in milliseconds)."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from firstlight.engine.protocol import EngineOutput, EngineRequest, EngineTimes, Sampling
from firstlight.engine.scripted.core import Abort, Add, Command, Core, Event, Failed, Said
from firstlight.engine.scripted.scenario import Scenario
from firstlight.engine.scripted.words import BEGIN, END, ROLES, encode

Timed = tuple[float, Event]


def ids(question: str) -> list[int]:
    return [BEGIN, ROLES["user"], *encode(question), END, BEGIN, ROLES["assistant"]]


def add(name: str, question: str = "", priority: int = 0, **sampling: object) -> Add:
    fields = {"max_tokens": 1000, **sampling}
    return Add(EngineRequest(name, ids(question), msgspec.convert(fields, Sampling), "salt", priority))


def play(*commands: tuple[float, Command], **scenario: object) -> tuple[Core, list[Timed]]:
    """Run a core from time 0 until nothing is planned, giving it `commands` at their millisecond. Never late."""
    core = Core(msgspec.convert({"first_ms": 10, "step_ms": 10, **scenario}, Scenario))
    waiting = sorted(commands, key=lambda timed: timed[0])
    seen: list[Timed] = []
    while waiting or core.due() is not None:
        due = core.due()
        if waiting and (due is None or waiting[0][0] / 1000 < due):
            at, command = waiting.pop(0)
            events = core.take(command, at / 1000)
        else:
            assert due is not None
            at = due * 1000
            events = core.advance(due)
        seen += [(round(at, 6), event) for event in events]
    return core, seen


def texts(seen: list[Timed]) -> list[tuple[float, str, str]]:
    return [(at, event.id, event.output.text if isinstance(event, Said) else "FAILED") for at, event in seen]


def failures(seen: list[Timed]) -> list[Timed]:
    return [(at, event) for at, event in seen if isinstance(event, Failed)]


ABC = [{"script": [{"pieces": ["a", "b", "c"]}]}]


def test_the_first_token_comes_after_prefill_and_the_others_step_by_step() -> None:
    _, seen = play((5, add("x", "0123456789")), replies=ABC, prefill_ms_per_token=2, step_ms_per_seq=0.5)
    # Seven prompt tokens: two of the digits, five special.
    assert seen == [
        (29, Said("x", EngineOutput("a", 1, times=EngineTimes(queued=0.005, scheduled=0.005, first_token=0.029)))),
        (39.5, Said("x", EngineOutput("b", 1))),
        (50, Said("x", EngineOutput("c", 1, "stop"))),
    ]


def test_an_exact_delay_replaces_the_step_time_and_adds_to_the_first() -> None:
    script = [{"pieces": ["a", "b"], "delay_ms": 3}, {"pieces": ["c"], "delay_ms": 0}, {"pieces": ["d"]}]
    _, seen = play((0, add("x")), replies=[{"script": script}])
    assert texts(seen) == [(13, "x", "a"), (16, "x", "b"), (16, "x", "c"), (26, "x", "d")]


def test_a_late_call_moves_no_later_token() -> None:
    core = Core(msgspec.convert({"first_ms": 10, "step_ms": 10, "replies": ABC}, Scenario))
    core.take(add("x"), 0.0)
    assert [event.id for event in core.advance(0.027)] == ["x", "x"]
    assert core.due() == 0.03


def test_the_step_grows_with_the_batch_and_a_newcomer_joins_the_next_step() -> None:
    _, seen = play((0, add("x")), (5, add("y")), replies=ABC, step_ms_per_seq=1)
    assert texts(seen) == [
        (10, "x", "a"),
        (15, "y", "a"),
        (21, "x", "b"),  # a step of one: 11 ms from 10
        (33, "y", "b"),  # a step of two: 12 ms
        (33, "x", "c"),
        (44, "y", "c"),
    ]


def test_slots_are_given_by_priority_then_arrival() -> None:
    one = [{"script": [{"pieces": ["."]}]}]
    _, seen = play(
        (0, add("running")),
        (1, add("late", priority=5)),
        (2, add("first")),
        (3, add("second")),
        (4, add("urgent", priority=-1)),
        replies=one,
        slots=1,
    )
    assert [(at, name) for at, name, _ in texts(seen)] == [
        (10, "running"), (20, "urgent"), (30, "first"), (40, "second"), (50, "late")
    ]  # fmt: skip
    assert [e.output.times for _, e in seen if isinstance(e, Said)][1] == EngineTimes(0.004, 0.01, 0.02)


def test_an_abort_frees_the_slot_at_once_and_nothing_of_the_reply_follows() -> None:
    _, seen = play((0, add("x")), (0, add("y")), (15, Abort("x")), (16, Abort("x")), replies=ABC, slots=1)
    assert texts(seen) == [(10, "x", "a"), (25, "y", "a"), (35, "y", "b"), (45, "y", "c")]


def test_an_abort_takes_a_prompt_out_of_the_queue() -> None:
    _, seen = play((0, add("x")), (0, add("y")), (0, add("z")), (1, Abort("y")), replies=ABC, slots=1)
    assert [(at, name) for at, name, text in texts(seen) if text == "a"] == [(10, "x"), (40, "z")]


def test_an_abort_of_all_in_a_step_does_not_stop_those_that_wait_for_the_next() -> None:
    _, seen = play((0, add("x")), (5, add("y")), (17, Abort("x")), replies=ABC)
    assert texts(seen) == [(10, "x", "a"), (15, "y", "a"), (30, "y", "b"), (40, "y", "c")]


def test_a_stall_holds_everybody_up() -> None:
    replies = [{"exact": "stall", "script": [{"text": "a"}, {"text": "b", "stall_ms": 100}]}, *ABC]
    _, seen = play((0, add("y")), (0, add("x", "stall")), (50, add("z")), replies=replies, first_ms=15)
    assert texts(seen) == [
        (15, "y", "a"),
        (15, "x", "a"),
        (125, "y", "b"),  # its step had 10 ms to go
        (130, "z", "a"),
        (135, "x", "b"),
        (135, "y", "c"),
        (145, "z", "b"),
        (155, "z", "c"),
    ]


def test_a_burst_comes_as_one_output_and_repeat_says_it_again() -> None:
    script = [{"pieces": ["a", "b", "c"], "burst": 2, "repeat": 2}]
    _, seen = play((0, add("x")), replies=[{"script": script, "finish": "length"}])
    outputs = [
        (at, event.output.text, event.output.tokens, event.output.finish)
        for at, event in seen
        if isinstance(event, Said)
    ]
    assert outputs == [(10, "ab", 2, None), (20, "c", 1, None), (30, "ab", 2, None), (40, "c", 1, "length")]


def test_a_failure_ends_one_reply_and_frees_its_slot() -> None:
    replies = [{"exact": "fail", "script": [{"text": "a"}, {"fail": "no memory"}]}, *ABC]
    _, seen = play((0, add("x", "fail")), (0, add("y")), replies=replies, slots=1)
    assert failures(seen) == [(20, Failed("x", "no memory"))]
    assert texts(seen) == [(10, "x", "a"), (20, "x", "FAILED"), (30, "y", "a"), (40, "y", "b"), (50, "y", "c")]


def test_a_death_ends_everything() -> None:
    replies = [{"exact": "die", "script": [{"text": "a", "die": True}]}, *ABC]
    core, seen = play((0, add("x", "die")), (0, add("y")), (0, add("z")), replies=replies, slots=2)
    assert core.dead
    assert texts(seen) == [(10, "x", "a"), (10, "y", "a")]
    assert core.take(add("late"), 1.0) == []


def test_a_question_without_a_reply_fails() -> None:
    _, seen = play(
        (0, add("x", "what")), (0, add("y", "why")), replies=[{"prefix": "wh", "exact": "why", **ABC[0]}], slots=1
    )
    assert failures(seen) == [(0, Failed("x", "the scenario has no reply for this message"))]
    assert texts(seen)[1:] == [(10, "y", "a"), (20, "y", "b"), (30, "y", "c")]


def test_the_first_reply_that_fits_is_played() -> None:
    replies = [
        {"exact": "Hello", "script": [{"text": "exact"}]},
        {"prefix": "Hell", "script": [{"text": "prefix"}]},
        {"script": [{"echo": 5}, {"text": "?"}]},
    ]
    _, seen = play((0, add("x", "Hello")), (100, add("y", "Hello!")), (200, add("z", "Good day")), replies=replies)
    said: dict[str, str] = {}
    for _, name, text in texts(seen):
        said[name] = said.get(name, "") + text
    assert said == {"x": "exact", "y": "prefix", "z": "Good ?"}


def test_a_prompt_seen_before_is_prefilled_from_the_cache_of_its_salt() -> None:
    long = "word" * 30
    first, again, other = (add(name, long).request for name in ("x", "y", "z"))
    salted = Add(msgspec.structs.replace(other, cache_salt="pepper"))
    _, seen = play((0, Add(first)), (1000, Add(again)), (2000, salted), replies=ABC, prefill_ms_per_token=1)
    starts = [(at, event.output.cached_tokens) for at, event in seen if isinstance(event, Said) and event.output.times]
    assert starts == [(35, 0), (1019, 16), (2035, 0)]


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(-1, 1), st.sampled_from(["steps", "delays", "stall"])), max_size=12
    ),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 11)), max_size=6),
    st.integers(1, 4),
)
def test_whatever_comes_every_reply_that_is_not_aborted_is_said_whole_and_in_order(
    prompts: list[tuple[int, int, str]], aborts: list[tuple[int, int]], slots: int
) -> None:
    adds = [(at, add(str(index), question, priority)) for index, (at, priority, question) in enumerate(prompts)]
    commands: list[tuple[float, Command]] = [*adds, *((at + 0.5, Abort(str(index))) for at, index in aborts)]
    replies = [
        {"exact": "delays", "script": [{"pieces": ["a", "b", "c"], "delay_ms": 7}]},
        {"exact": "stall", "script": [{"text": "a"}, {"stall_ms": 30}, {"pieces": ["b", "c"]}]},
        *ABC,
    ]
    core, seen = play(*commands, replies=replies, slots=slots, step_ms_per_seq=0.3)
    said = {str(index): "" for index in range(len(prompts))}
    finished = set()
    for _, event in seen:
        assert isinstance(event, Said)
        assert event.id not in finished
        said[event.id] += event.output.text
        if event.output.finish:
            finished.add(event.id)
    aborted = {str(index) for _, index in aborts}
    assert [at for at, _ in seen] == sorted(at for at, _ in seen)
    for name, text in said.items():
        assert text == "abc" if name in finished else name in aborted and "abc".startswith(text)
    assert core.due() is None
