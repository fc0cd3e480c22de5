"""The scenario: what the scripted engine answers, and when. A strict JSON file; times are milliseconds.

    {"slots": 2, "first_ms": 50, "step_ms": 20,
     "replies": [{"exact": "Hello", "script": [{"text": "Hello! How can I help?"}]},
                 {"prefix": "Stall", "script": [{"text": "One"}, {"text": " two", "stall_ms": 2000}]},
                 {"script": [{"text": "You wrote: "}, {"echo": 60}, {"text": "."}]}]}

The first reply whose `exact` or `prefix` fits the last user message is played; a reply with neither fits any message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from firstlight.errors import StartError

Millis = Annotated[float, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a reply. In this order: the stall; `text`, `pieces` and `echo`, token by token; `fail` or `die`."""

    text: str = ""
    """Said word by word: about one token a word (`words.split`)."""
    pieces: tuple[str, ...] = ()
    """Tokens exactly as they stand; an empty one is a token without text, as half an emoji would be."""
    echo: Count = 0
    """Characters of the last user message to say."""
    repeat: Positive = 1
    """How often text, pieces and echo are said."""
    burst: Positive = 1
    """Tokens that come at once, as one output."""
    delay_ms: Millis | None = None
    """Exact time before each output of this step; None: the engine's own step time, which grows with the batch."""
    stall_ms: Millis = 0
    """The whole engine stands still for so long, every reply with it."""
    fail: str = ""
    """This reply fails, with these words; the engine goes on."""
    die: bool = False
    """The engine dies: a child process by SIGKILL."""

    def __post_init__(self) -> None:
        if not (self.text or self.pieces or self.echo or self.stall_ms or self.fail or self.die):
            raise ValueError("a step needs one of text, pieces, echo, stall_ms, fail, die")


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is answered to the messages that fit: `exact` the whole last user message, `prefix` its beginning."""

    script: Annotated[tuple[Step, ...], Meta(min_length=1)]
    exact: str | None = None
    prefix: str | None = None
    finish: Literal["stop", "length"] = "stop"

    def fits(self, question: str) -> bool:
        """Whether this reply answers `question`."""
        return self.exact in (None, question) and question.startswith(self.prefix or "")


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole engine. A prompt waits for one of `slots`. Its first token comes `first_ms` later, and
    `prefill_ms_per_token` for each prompt token not cached; the others one a step, which lasts `step_ms`, and
    `step_ms_per_seq` for each reply in it.
    """

    replies: Annotated[tuple[Reply, ...], Meta(min_length=1)]
    model: str = "scripted"
    max_model_len: Positive = 4096
    slots: Positive = 256
    queue: Count = 1000
    """Prompts that may wait when all slots are taken; one more is refused as Overloaded."""
    first_ms: Millis = 20.0
    prefill_ms_per_token: Millis = 0.0
    step_ms: Millis = 20.0
    step_ms_per_seq: Millis = 0.0
    cache_blocks: Count = 16_384
    """Blocks of 16 tokens that the prefix cache holds."""
    start_ms: Millis = 0.0
    """How long it takes to start."""
    child: bool = False
    """Run in a process of its own, which real signals can stop and kill."""


def load(path: str) -> Scenario:
    """The scenario in file `path`. Raises StartError, which names the file and the field."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Scenario)
    except OSError as error:
        raise StartError(f"scenario {path}: {error.strerror}") from error
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise StartError(f"scenario {path}: {where.rstrip('`') or 'the scenario'}: {what}") from error
    except msgspec.DecodeError as error:
        raise StartError(f"scenario {path}: {error}") from error
