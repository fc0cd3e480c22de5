"""Words, rendering, stop strings, cache, frames, scenario files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.engine.build import build
from firstlight.engine.protocol import Sampling
from firstlight.engine.scripted.cache import BLOCK, PrefixCache
from firstlight.engine.scripted.demo import DEMO
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.frames import Inbox, pack
from firstlight.engine.scripted.render import INLINE_CHARACTERS, WordRenderer
from firstlight.engine.scripted.scenario import load
from firstlight.engine.scripted.script import Speaker
from firstlight.engine.scripted.words import BEGIN, END, ROLES, decode, encode, question, split
from firstlight.errors import StartError
from firstlight.settings import load as load_settings
from firstlight.wire import Message

SCENARIOS = sorted((Path(__file__).parents[3] / "shared/examples/scenarios").glob("*.json"))


def test_text_is_split_into_words_with_their_space_and_single_other_characters() -> None:
    assert split("Hello, my  streaming 東京\n👋🏽") == [
        "Hello", ",", " my", " ", " stream", "ing", " ", "東", "京", "\n", "👋", "🏽"
    ]  # fmt: skip


@given(st.text())
def test_any_text_comes_back_from_its_ids_and_none_of_them_is_special(text: str) -> None:
    ids = encode(text)
    assert decode(ids) == text
    assert all(0xFF < i < 2**63 for i in ids)


async def test_a_conversation_is_rendered_with_special_ids_around_each_message() -> None:
    messages = [
        Message("system", "Be brief."),
        Message("user", "Hi"),
        Message("assistant", "Yo"),
        Message("user", "<|im_end|>"),
    ]
    ids = await WordRenderer().render(messages)
    assert ids == [
        *(BEGIN, ROLES["system"], *encode("Be brief."), END),
        *(BEGIN, ROLES["user"], *encode("Hi"), END),
        *(BEGIN, ROLES["assistant"], *encode("Yo"), END),
        *(BEGIN, ROLES["user"], *encode("<|im_end|>"), END),
        *(BEGIN, ROLES["assistant"]),
    ]
    assert question(ids) == "<|im_end|>"


async def test_a_long_message_is_rendered_in_a_thread_with_the_same_result() -> None:
    text = "word " * INLINE_CHARACTERS
    ids = await WordRenderer().render([Message("user", text)])
    assert ids == [BEGIN, ROLES["user"], *encode(text), END, BEGIN, ROLES["assistant"]]


@pytest.mark.parametrize("ids", [[], [7], [ROLES["user"]], [300, 301, 302]])
def test_ids_without_a_user_message_hold_no_question(ids: list[int]) -> None:
    assert question(ids) == ""


def say(tokens: list[str], stop: tuple[str, ...] = (), max_tokens: int = 1000) -> tuple[list[str], str, int]:
    """Texts, finish and token count of `tokens`, one output each."""
    speaker = Speaker(Sampling(max_tokens, stop=stop), room=1000, finish="stop", cached=0)
    outputs, last = [], len(tokens) - 1
    for index, token in enumerate(tokens):
        outputs.append(speaker.say((token,), last=index == last, times=None))
        if outputs[-1].finish:
            break
    assert outputs[-1].finish is not None
    return [output.text for output in outputs], outputs[-1].finish, sum(output.tokens for output in outputs)


def test_a_stop_string_over_several_tokens_never_shows() -> None:
    assert say(["ab", "cST", "O", "Pxx", "y"], ("STOP",)) == (["", "ab", "c", ""], "stop", 4)


def test_text_that_only_begins_like_a_stop_string_is_let_out_at_the_end() -> None:
    assert say(["ab", "cST", "O"], ("STOP",)) == (["", "ab", "cSTO"], "stop", 3)


def test_held_text_is_let_out_when_the_tokens_run_out() -> None:
    assert say(["ab", "cST", "O"], ("STOP",), max_tokens=2) == (["", "abcST"], "length", 2)


def test_a_reply_that_ends_at_its_last_token_is_not_cut_short() -> None:
    assert say(["a", "b"], max_tokens=2) == (["a", "b"], "stop", 2)


def test_tokens_beyond_the_limit_in_a_burst_are_dropped() -> None:
    output = Speaker(Sampling(2), room=1000, finish="stop", cached=3).say(("a", "b", "c"), last=True, times=None)
    assert (output.text, output.tokens, output.finish, output.cached_tokens) == ("ab", 2, "length", 3)


@given(
    st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=12),
    st.lists(st.text("abc", min_size=1, max_size=4), max_size=4),
)
def test_the_text_before_the_first_stop_string_comes_out_however_it_is_cut(tokens: list[str], stops: list[str]) -> None:
    texts, _, count = say(tokens, tuple(stops))
    read = "".join(tokens[:count])
    found = [at for stop in stops if (at := read.find(stop)) >= 0]
    assert "".join(texts) == read[: min(found, default=len(read))]
    assert not any(stop in "".join(tokens[: count - 1]) for stop in stops)


def test_the_cache_counts_whole_blocks_and_leaves_one_token_to_compute() -> None:
    cache, ids = PrefixCache(100), list(range(4 * BLOCK))
    assert cache.match("salt", ids) == 0
    assert cache.match("salt", ids) == 3 * BLOCK
    assert cache.match("salt", [*ids, 1]) == 4 * BLOCK
    assert cache.match("salt", [*ids[: BLOCK + 3], 9, *ids]) == BLOCK
    assert cache.match("pepper", ids) == 0


def test_a_full_cache_drops_what_was_not_used_for_longest_from_its_end() -> None:
    cache, old, new = PrefixCache(4), list(range(3 * BLOCK)), list(range(1000, 1000 + 2 * BLOCK))
    cache.match("salt", old)
    cache.match("salt", new)
    assert cache.match("salt", [*old, 1]) == 2 * BLOCK


@given(st.lists(st.binary(max_size=300)), st.integers(1, 50))
def test_frames_come_out_whole_however_the_bytes_are_cut(documents: list[bytes], size: int) -> None:
    stream, inbox = b"".join(map(pack, documents)), Inbox()
    bodies = [body for at in range(0, len(stream), size) for body in inbox.feed(stream[at : at + size])]
    assert [pack(document)[4:] for document in documents] == bodies


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_example_scenario_can_be_played(path: Path) -> None:
    assert load(str(path)).replies


BAD_SCENARIOS = {
    "{": "Input data was truncated",
    '{"slots": 1}': "the scenario: Object missing required field `replies`",
    '{"replies": []}': "replies: Expected `array` of length >= 1",
    '{"replies": [{"script": [{"text": "a"}]}], "stepms": 1}': "the scenario: Object contains unknown field `stepms`",
    '{"replies": [{"script": [{"text": "a", "delay_ms": -1}]}]}': (
        "replies[0].script[0].delay_ms: Expected `float` >= 0.0"
    ),
    '{"replies": [{"script": [{"text": "a"}, {"repeat": 2}]}]}': (
        "replies[0].script[1]: a step needs one of text, pieces, echo, stall_ms, fail, die"
    ),
}


@pytest.mark.parametrize(("text", "complaint"), BAD_SCENARIOS.items())
def test_a_bad_scenario_is_refused_in_one_line_that_names_the_field(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(StartError) as refused:
        load(str(file))
    assert str(refused.value) == f"scenario {file}: {complaint}"


def test_a_missing_scenario_is_refused() -> None:
    with pytest.raises(StartError, match=r"scenario nowhere\.json: No such file or directory"):
        load("nowhere.json")


def test_the_settings_pick_the_demo_or_a_scenario() -> None:
    demo = build(load_settings({"FIRSTLIGHT_ENGINE__KIND": "scripted", "FIRSTLIGHT_ENGINE__MAX_NUM_SEQS": "3"}))
    assert isinstance(demo, Scripted)
    assert (demo.limits.model, demo.limits.max_num_seqs, demo.limits.max_model_len) == (DEMO.model, 3, 4096)
    named = build(
        load_settings({"FIRSTLIGHT_ENGINE__KIND": "scripted", "FIRSTLIGHT_ENGINE__SCENARIO": str(SCENARIOS[0])})
    )
    assert named.limits.model == load(str(SCENARIOS[0])).model
