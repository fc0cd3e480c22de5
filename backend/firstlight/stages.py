"""The seven stages by name, the one clock, and the types that prove a stage has run.

A reply passes through the types in this order, and only the stage named in the last column builds one
(`tests/test_shape.py` holds that):

    bytes -> wire.ChatRequest -> Admitted (admission) -> Prompt (prefill) -> generations.Generation (decode)
          -> wire.StreamEvent (assembly) -> bytes
"""

from __future__ import annotations

import time
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
    """

    __slots__ = ("accepted", "head_bytes", "marks")

    def __init__(self, accepted: float, head_bytes: int | None = None) -> None:
        """Start at `accepted`, a time of `now()` in seconds."""
        self.accepted = accepted
        self.head_bytes = head_bytes
        self.marks = Marks(accepted=0.0)

    def mark(self, name: str, at: float | None = None) -> None:
        """Set mark `name` (a field of `wire.Marks`) to `at` (seconds of `now()`; default: now). The first one holds."""
        if getattr(self.marks, name) is None:
            setattr(self.marks, name, self.ms(now() if at is None else at))

    def ms(self, moment: float) -> float:
        """Milliseconds from `accepted` to `moment` (seconds of `now()`)."""
        return round((moment - self.accepted) * 1000, 3)


_PARTS: dict[Stage, tuple[tuple[str, str], ...]] = {
    Stage.CONNECTION: (("accepted", "headers"), ("routed", "body")),
    Stage.ROUTING: (("headers", "routed"),),
    Stage.ADMISSION: (("body", "shaped"),),
    Stage.PREFILL: (("shaped", "first_token"),),
    Stage.DECODE: (("first_token", "first_text"),),
    Stage.ASSEMBLY: (("first_text", "first_byte"),),
}
"""Between which marks the server's part of each stage lies. Without a gap: together they are `first_byte`."""


def parts(marks: Marks) -> dict[Stage, float]:
    """The server's part of each stage, milliseconds; a stage that a mark is missing of is left out."""
    known: dict[Stage, float] = {}
    for stage, spans in _PARTS.items():
        ends = [(getattr(marks, first), getattr(marks, last)) for first, last in spans]
        if all(None not in pair for pair in ends):
            known[stage] = round(sum(last - first for first, last in ends), 3)
    return known


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
