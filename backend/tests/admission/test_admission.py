"""The stage as a whole, on the requests of the wire's examples among others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firstlight import settings
from firstlight.admission import Admission
from firstlight.errors import Forbidden, InvalidRequest, RateLimited, Refused, Unauthenticated
from firstlight.stages import Timeline, User, now
from firstlight.wire import ChatRequest, Message

EXAMPLES = sorted((Path(__file__).parents[3] / "shared/examples/requests").glob("*.json"))
HELLO = b'{"messages":[{"role":"user","content":"Hello\\u0007"}],"max_tokens":5}'


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def bearer(admission: Admission) -> str:
    return f"Bearer {admission.guest().access_token}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_admitted_or_refused_as_they_say(path: Path) -> None:
    example = json.loads(path.read_text("utf-8"))
    body = example["raw"] if "raw" in example else json.dumps(example["body"], ensure_ascii=False)
    admission = Admission(settings.Admission())
    try:
        admission.admit(bearer(admission), body.encode(), Timeline(now()))
        met: dict[str, object] = {"status": 200}
    except Refused as refused:
        met = {"status": refused.status, "type": refused.type, "field": refused.field, "limit": refused.limit}
    assert {name: value for name, value in met.items() if value is not None} == example["expect"]


def test_what_is_admitted_is_clean_and_says_who_asked() -> None:
    admission = Admission(settings.Admission(), random=bytes)
    timeline = Timeline(now())
    admitted = admission.admit(bearer(admission), HELLO, timeline)
    assert admitted.request == ChatRequest(messages=(Message("user", "Hello"),), max_tokens=5)
    assert admitted.user == User(f"guest-{'00' * 16}")
    assert admitted.timeline is timeline


def test_the_marks_are_set_in_order() -> None:
    admission = Admission(settings.Admission())
    timeline = Timeline(now())
    admission.admit(bearer(admission), HELLO, timeline)
    marks = timeline.marks
    times = [marks.accepted, marks.verified, marks.bucket, marks.cleaned, marks.shaped]
    reached = [time for time in times if time is not None]
    assert reached == sorted(reached)
    assert len(reached) == len(times)


def test_the_cache_salt_is_a_user_s_own_and_stays_the_same() -> None:
    admission = Admission(settings.Admission())
    ann, bob = bearer(admission), bearer(admission)
    salts = [admission.admit(who, HELLO, Timeline(now())).cache_salt for who in (ann, ann, bob)]
    assert salts[0] == salts[1] != salts[2]
    assert all(len(salt) == 64 and set(salt) <= set("0123456789abcdef") for salt in salts)
    other = Admission(settings.Admission(), random=bytes)
    assert other.admit(bearer(other), HELLO, Timeline(now())).cache_salt not in salts


def test_an_empty_bucket_refuses_with_whole_seconds_to_wait_and_fills_again() -> None:
    clock = Clock()
    admission = Admission(settings.Admission(rate=0.4, burst=2), clock=clock)
    who = bearer(admission)
    for _ in range(2):
        admission.admit(who, HELLO, Timeline(now()))
    with pytest.raises(RateLimited) as refusal:
        admission.admit(who, HELLO, Timeline(now()))
    assert (refusal.value.detail, refusal.value.retry_after) == ("Too many requests: wait 3 s.", 3)
    clock.at += 3
    admission.admit(who, HELLO, Timeline(now()))
    admission.admit(bearer(admission), HELLO, Timeline(now()))


def test_what_costs_less_is_checked_first() -> None:
    admission = Admission(settings.Admission(burst=1))
    with pytest.raises(Unauthenticated):
        admission.admit(None, b"not JSON", Timeline(now()))
    who = bearer(admission)
    with pytest.raises(InvalidRequest):
        admission.admit(who, b"not JSON", Timeline(now()))
    with pytest.raises(RateLimited):
        admission.admit(who, b"not JSON", Timeline(now()))


def test_a_token_without_the_scope_chat_is_good_for_nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    admission = Admission(settings.Admission())
    monkeypatch.setattr(admission._tokens, "verify", lambda _: User("ann", frozenset({"admin"})))
    with pytest.raises(Forbidden):
        admission.verify("Bearer x")
