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
    """The server marks of one request, each in milliseconds since the connection's bytes for it were accepted."""

    __slots__ = ("accepted", "marks")

    def __init__(self, accepted: float) -> None:
        """Start at `accepted`, a time of `now()` in seconds."""
        self.accepted = accepted
        self.marks = Marks(accepted=0.0)

    def mark(self, name: str, at: float | None = None) -> None:
        """Set mark `name` (a field of `wire.Marks`) to `at` (seconds of `now()`; default: now). The first one holds."""
        if getattr(self.marks, name) is None:
            moment = now() if at is None else at
            setattr(self.marks, name, round((moment - self.accepted) * 1000, 3))


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
