"""The seven stages by name, the one clock, and the types that prove a stage has run.

A reply passes through the types in this order, and only the stage named in the last column builds one
(`tests/test_shape.py` holds that):

    bytes -> wire.ChatRequest -> Admitted (admission) -> Prompt (prefill) -> generations.Generation (decode)
          -> wire.StreamEvent (assembly) -> bytes
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from firstlight.wire import ChatRequest, Marks


class Stage(StrEnum):
    """The seven words: for folders, spans, histogram labels, `Server-Timing`, browser marks, rows of the waterfall."""

    CAPTURE = "capture"
    CONNECTION = "connection"
    ROUTING = "routing"
    ADMISSION = "admission"
    PREFILL = "prefill"
    DECODE = "decode"
    ASSEMBLY = "assembly"


def now() -> float:
    """Seconds on the server's one clock (`time.monotonic`, so it may be compared with the engine core's times)."""
    return time.monotonic()


class Timeline:
    """The server marks of one request, each in milliseconds since the connection's bytes for it were accepted.

    `head_bytes` is what its request line and header fields took on the wire; None where no socket of ours counted.
    `traceparent` is its header of that name, unread.
    """

    __slots__ = ("accepted", "head_bytes", "marks", "traceparent")

    def __init__(self, accepted: float, head_bytes: int | None = None) -> None:
        """Start at `accepted`, a time of `now()` in seconds."""
        self.accepted = accepted
        self.head_bytes = head_bytes
        self.traceparent: str | None = None
        self.marks = Marks(accepted=0.0)

    def mark(self, name: str, at: float | None = None) -> None:
        """Set mark `name` (a field of `wire.Marks`) to `at` (seconds of `now()`; default: now). The first one holds."""
        if getattr(self.marks, name) is None:
            setattr(self.marks, name, self.ms(now() if at is None else at))

    def ms(self, moment: float) -> float:
        """Milliseconds, to the microsecond, from `accepted` to `moment` (seconds of `now()`)."""
        return int((moment - self.accepted) * 1_000_000 + 0.5) / 1000  # `round` takes twice as long


_PATH = (
    ("headers", Stage.CONNECTION),
    ("routed", Stage.ROUTING),
    ("body", Stage.CONNECTION),
    ("shaped", Stage.ADMISSION),
    ("first_token", Stage.PREFILL),
    ("first_text", Stage.DECODE),
    ("first_byte", Stage.ASSEMBLY),
)
"""The marks that end a stage, in the order of their times, and the stage."""


def segments(marks: Marks) -> Iterator[tuple[Stage, float, float]]:
    """The way of a reply as far as it went, without a gap: stage, begin and end (ms after `accepted`)."""
    before = 0.0
    for name, stage in _PATH:
        at = getattr(marks, name)
        if at is None:
            return
        yield stage, before, at
        before = at


def parts(marks: Marks) -> dict[Stage, float]:
    """The server's part of each stage that was passed, milliseconds; of a reply with text, `first_byte` in all."""
    spent: dict[Stage, float] = {}
    for stage, begin, end in segments(marks):
        spent[stage] = round(spent.get(stage, 0.0) + end - begin, 3)
    return spent


def server_timing(timeline: Timeline, moment: float) -> str:
    """Value of a `Server-Timing` header that leaves at `moment` (seconds of `now()`): the stages passed up to then.

    The time since the last mark counts for the stage under way; where no body was read, for the handler's, routing.
    """
    spent: dict[Stage, float] = {}
    passed, since = 0, 0.0
    for stage, begin, since in segments(timeline.marks):
        spent[stage] = spent.get(stage, 0.0) + since - begin
        passed += 1
    if passed < len(_PATH):
        name, stage = _PATH[passed]
        under_way = Stage.ROUTING if name == "body" else stage
        spent[under_way] = spent.get(under_way, 0.0) + timeline.ms(moment) - since
    return ", ".join(f"{stage};dur={ms:.3f}" for stage, ms in spent.items())


class User(msgspec.Struct, frozen=True):
    """Who asks: the token's subject, and what it may do: so far there is the scope `chat` alone."""

    subject: str
    scopes: frozenset[str] = frozenset({"chat"})


class Admitted(msgspec.Struct, frozen=True):
    """A request that stage 4 let in: verified, within the bucket, cleaned, shaped."""

    request: ChatRequest
    user: User
    timeline: Timeline
    cache_salt: str


class Prompt(msgspec.Struct, frozen=True):
    """An admitted request whose messages are token ids; `max_tokens` fits what the model's context has left."""

    admitted: Admitted
    token_ids: list[int]
    max_tokens: int
